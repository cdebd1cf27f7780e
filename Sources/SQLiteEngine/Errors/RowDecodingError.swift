/// The key of a value in a row.
@usableFromInline
enum RowKey: Hashable, Sendable {
    case columnName(String)
    case columnIndex(Int)
}

/// An error that occurs when a value does not have the requested type or is missing from a row.
public struct RowDecodingError: Error {
    enum Impl: Sendable {
        case keyNotFound(RowKey, Context)
        case valueMismatch(any Any.Type, Context)
    }

    struct Context: CustomDebugStringConvertible, Sendable {
        let debugDescription: String

        let columns: [(name: String, value: DatabaseValue)]

        /// The key of the value, or `nil` if the row has no such value.
        let key: RowKey?

        let sql: String?

        let statementArguments: StatementArguments?
    }

    var impl: Impl

    private var context: Context {
        switch impl {
        case .keyNotFound(_, let context), .valueMismatch(_, let context): context
        }
    }
}

extension RowDecodingError {
    /// Returns the error for a column of the current row whose value cannot be decoded as `type`.
    @usableFromInline
    static func valueMismatch(
        _ type: any Any.Type,
        statement: Statement,
        index: Int
    ) -> RowDecodingError {
        valueMismatch(type, row: Row(statement: statement, layout: statement.layout), index: index)
    }

    @usableFromInline
    static func valueMismatch(
        _ type: any Any.Type,
        row: Row,
        index: Int
    ) -> RowDecodingError {
        let value = row.databaseValue(atUncheckedIndex: index)
        let context = Context(
            debugDescription: "could not decode \(type) from database value \(value)",
            row: row,
            key: .columnIndex(index)
        )
        return RowDecodingError(impl: .valueMismatch(type, context))
    }

    @usableFromInline
    static func columnNotFound(_ name: String, row: Row) -> RowDecodingError {
        let context = Context(
            debugDescription: "column not found: \(String(reflecting: name))",
            row: row,
            key: nil
        )
        return RowDecodingError(impl: .keyNotFound(.columnName(name), context))
    }
}

extension RowDecodingError.Context {
    init(debugDescription: String, row: Row, key: RowKey?) {
        self.debugDescription = debugDescription
        self.columns = row.map { (name: $0.0, value: $0.1) }
        self.key = key
        self.sql = row.statement?.sql
        self.statementArguments = row.statement?.arguments
    }

    var row: Row { Row(columns: columns) }
}

extension RowDecodingError: CustomStringConvertible {
    /// The description of the failure, with the column, the row, the SQL, and the arguments.
    public var description: String {
        var facts: [String] = []
        let columns = context.columns
        if case .columnIndex(let index) = context.key, columns.indices.contains(index) {
            facts.append("column: \(String(reflecting: columns[index].name))")
            facts.append("column index: \(index)")
        }
        let values = columns.map { "\($0.name):\($0.value)" }.joined(separator: " ")
        facts.append("row: [\(values)]")
        if let sql = context.sql { facts.append("sql: `\(sql)`") }
        if let arguments = context.statementArguments { facts.append("arguments: \(arguments)") }
        return "\(context.debugDescription) - \(facts.joined(separator: ", "))"
    }
}
