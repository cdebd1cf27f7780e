/// SQL with the values that belong to it, to be put together from parts.
///
/// What is interpolated becomes an argument of the statement, never text of it, so that no value
/// can be mistaken for SQL:
///
/// ```swift
/// var query: SQL = "SELECT * FROM player WHERE team = \(team)"
/// if let least { query += " AND score >= \(least)" }
/// let statement = try db.makeStatement(literal: query)
/// ```
///
/// Names of tables and columns, lists of values, other literals and requests can be interpolated as
/// well; see ``SQLInterpolation``.
public struct SQL: Sendable {
    /// A piece of a literal.
    enum Element: Sendable {
        /// Text, with the values of the parameters in it.
        case text(String, StatementArguments)
        /// A value, which becomes a parameter.
        case value(DatabaseValue)
    }

    private(set) var elements: [Element]

    init(elements: [Element]) { self.elements = elements }

    /// Creates a literal of plain SQL and the values of its parameters.
    public init(sql: String, arguments: StatementArguments = StatementArguments()) {
        self.init(elements: [])
        append(sql: sql, arguments: arguments)
    }

    /// Creates a literal of one value.
    public init(_ value: some DatabaseValueConvertible) {
        self.init(elements: [.value(value.databaseValue)])
    }

    /// Whether there is nothing in it.
    public var isEmpty: Bool {
        elements.allSatisfy { element in
            guard case .text(let text, _) = element else { return false }
            return text.isEmpty
        }
    }

    /// Adds another literal at the end.
    public mutating func append(literal sqlLiteral: SQL) { elements += sqlLiteral.elements }

    /// Adds plain SQL and the values of its parameters at the end.
    public mutating func append(
        sql: String,
        arguments: StatementArguments = StatementArguments()
    ) {
        guard !sql.isEmpty || !arguments.isEmpty else { return }
        elements.append(.text(sql, arguments))
    }

    /// Joins two literals.
    public static func + (lhs: SQL, rhs: SQL) -> SQL { SQL(elements: lhs.elements + rhs.elements) }

    /// Adds a literal at the end.
    public static func += (lhs: inout SQL, rhs: SQL) { lhs.append(literal: rhs) }

    /// The text and the arguments that SQLite is given.
    ///
    /// - Parameter db: The connection that the statement is meant for.
    /// - Returns: The SQL with a `?` for each interpolated value, and all values.
    /// - Throws: `SQLITE_MISUSE` when two parts name a parameter alike.
    public func build(
        _ db: Database
    ) throws -> (sql: String, arguments: StatementArguments) {
        var sql = ""
        var values: [DatabaseValue] = []
        var names: [String: DatabaseValue] = [:]
        for element in elements {
            switch element {
            case .value(let value):
                sql += "?"
                values.append(value)
            case .text(let text, let arguments):
                sql += text
                values += arguments.values
                for (name, value) in arguments.named {
                    guard names.updateValue(value, forKey: name) != nil else { continue }
                    throw DatabaseError(
                        resultCode: .SQLITE_MISUSE,
                        message: "two parts of the SQL have an argument named \(name)",
                        sql: sql
                    )
                }
            }
        }
        return (sql, StatementArguments(values: values, names: names))
    }
}

extension SQL: ExpressibleByStringInterpolation {
    /// Creates plain SQL.
    public init(unicodeScalarLiteral: String) { self.init(sql: unicodeScalarLiteral) }

    /// Creates plain SQL.
    public init(extendedGraphemeClusterLiteral: String) {
        self.init(sql: extendedGraphemeClusterLiteral)
    }

    /// Creates plain SQL.
    public init(stringLiteral: String) { self.init(sql: stringLiteral) }

    /// Creates SQL from a literal with interpolations.
    public init(stringInterpolation sqlInterpolation: SQLInterpolation) {
        self.init(elements: sqlInterpolation.literal.elements)
    }
}

extension Sequence<SQL> {
    /// Joins literals.
    ///
    /// - Parameter separator: Plain SQL that comes between them.
    /// - Returns: One literal.
    public func joined(separator: String = "") -> SQL {
        var joined = SQL(elements: [])
        for (index, literal) in enumerated() {
            if index > 0 { joined.append(sql: separator) }
            joined.append(literal: literal)
        }
        return joined
    }
}
