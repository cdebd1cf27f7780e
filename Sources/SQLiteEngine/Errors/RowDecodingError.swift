/// What a value was looked up by.
@usableFromInline
enum RowKey: Hashable, Sendable {
    case columnName(String)
    case columnIndex(Int)
    case scope(String)
}

/// An error about a value that has another type than was asked for, or that a row does not have.
public struct RowDecodingError: Error {
    enum Impl: Sendable {
        case keyNotFound(RowKey, Context)
        case valueMismatch(any Any.Type, Context)
    }

    /// Where decoding failed.
    struct Context: CustomDebugStringConvertible, Sendable {
        /// What failed.
        let debugDescription: String

        /// The columns of the row, copied.
        let columns: [(name: String, value: DatabaseValue)]

        /// What the value was looked up by; nil when the row has no such thing.
        let key: RowKey?

        /// The SQL of the row.
        let sql: String?

        /// The arguments of the statement that gave the row.
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
    /// The error of a column of a statement's current row that is no `type`.
    @usableFromInline
    static func valueMismatch(
        _ type: any Any.Type,
        statement: Statement,
        index: Int
    ) -> RowDecodingError {
        valueMismatch(type, row: Row(statement: statement, layout: statement.layout), index: index)
    }

    /// The error of a column that is no `type`.
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

    /// The error of a column that a row does not have.
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

    /// The row where decoding failed.
    var row: Row { Row(columns: columns) }
}

extension RowDecodingError: CustomStringConvertible {
    /// What failed, with the column, the row, the SQL and its arguments.
    public var description: String {
        var facts: [String] = []
        let columns = context.columns
        switch context.key {
        case .columnIndex(let index) where columns.indices.contains(index):
            facts.append("column: \(String(reflecting: columns[index].name))")
            facts.append("column index: \(index)")
        case .columnName(let name):
            let key = name.lowercased()
            if let index = columns.firstIndex(where: { $0.name.lowercased() == key }) {
                facts.append("column: \(String(reflecting: name))")
                facts.append("column index: \(index)")
            }
        default:
            break
        }
        let values = columns.map { "\($0.name):\($0.value)" }.joined(separator: " ")
        facts.append("row: [\(values)]")
        if let sql = context.sql { facts.append("sql: `\(sql)`") }
        if let arguments = context.statementArguments { facts.append("arguments: \(arguments)") }
        return "\(context.debugDescription) - \(facts.joined(separator: ", "))"
    }
}
