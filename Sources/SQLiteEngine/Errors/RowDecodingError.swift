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
        let pointer = statement.sqliteStatement
        let names = statement.columnNames
        let columns = names.indices.map {
            (name: names[$0], value: DatabaseValue(sqliteStatement: pointer, index: CInt($0)))
        }
        let value = columns.indices.contains(index) ? columns[index].value : .null
        return RowDecodingError(
            impl: .valueMismatch(
                type,
                Context(
                    debugDescription: "could not decode \(type) from database value \(value)",
                    columns: columns,
                    key: .columnIndex(index),
                    sql: statement.sql,
                    statementArguments: statement.arguments
                )
            )
        )
    }
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
