import Foundation
import Telemetry

/// SQL text with the values of its parameters.
///
/// Interpolated values become arguments of the statement. SQLite never interprets them as SQL:
///
/// ```swift
/// var query: SQL = "SELECT * FROM player WHERE team = \(team)"
/// if let minimumScore { query += " AND score >= \(minimumScore)" }
/// let statement = try db.makeStatement(literal: query)
/// ```
///
/// You can also interpolate the names of tables and columns, lists of values, other literals, and
/// requests. See ``SQLInterpolation``.
public struct SQL: Sendable {
    enum Element: Sendable {
        /// Plain SQL with the values of its parameters.
        case text(String, StatementArguments)
        /// A value, which becomes a parameter.
        case value(DatabaseValue)
    }

    private(set) var elements: [Element]

    init(elements: [Element]) { self.elements = elements }

    /// Creates a literal from plain SQL and the values of its parameters.
    public init(sql: String, arguments: StatementArguments = StatementArguments()) {
        self.init(elements: [])
        append(sql: sql, arguments: arguments)
    }

    /// Creates a literal from a value.
    public init(_ value: some DatabaseValueConvertible) {
        self.init(elements: [.value(value.databaseValue)])
    }

    /// Whether the literal is empty.
    public var isEmpty: Bool {
        elements.allSatisfy { if case .text("", _) = $0 { true } else { false } }
    }

    /// Appends another literal.
    public mutating func append(literal sqlLiteral: SQL) { elements += sqlLiteral.elements }

    /// Appends plain SQL and the values of its parameters.
    public mutating func append(
        sql: String,
        arguments: StatementArguments = StatementArguments()
    ) {
        guard !sql.isEmpty || !arguments.isEmpty else { return }
        elements.append(.text(sql, arguments))
    }

    /// Concatenates two literals.
    public static func + (lhs: SQL, rhs: SQL) -> SQL { SQL(elements: lhs.elements + rhs.elements) }

    /// Appends a literal.
    public static func += (lhs: inout SQL, rhs: SQL) { lhs.append(literal: rhs) }

    /// Returns the text and the arguments for SQLite.
    ///
    /// - Parameter db: The connection that will run the statement.
    /// - Returns: The SQL, with a `?` for each interpolated value, and the arguments.
    /// - Throws: `SQLITE_MISUSE` if two parts use the same parameter name.
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
                    throw DatabaseError.misuse(
                        "two parts of the SQL use the same argument name: \(name)",
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
    public init(stringLiteral: String) { self.init(sql: stringLiteral) }

    /// Creates SQL from a literal with interpolations.
    public init(stringInterpolation sqlInterpolation: SQLInterpolation) {
        self.init(elements: sqlInterpolation.literal.elements)
    }
}

extension Sequence<SQL> {
    /// Concatenates literals.
    ///
    /// - Parameter separator: Plain SQL to insert between literals.
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

extension SQL {
    /// Returns the text with inlined values, for statements that do not accept parameters.
    ///
    /// SQLite stores the text of definitions, such as `CREATE TABLE`, but not the values of
    /// parameters.
    ///
    /// - Throws: `SQLITE_MISUSE` if plain SQL has arguments, whose positions are unknown.
    func inlined() throws -> String {
        try elements.map { element in
            switch element {
            case .value(let value): return value.sqlLiteral
            case .text(let text, let arguments):
                guard arguments.isEmpty else {
                    throw DatabaseError.misuse(
                        "a definition takes no arguments; interpolate the values instead",
                        sql: text
                    )
                }
                return text
            }
        }
        .joined()
    }
}

extension DatabaseValue {
    /// The value as an SQL literal.
    var sqlLiteral: String {
        switch storage {
        case .null: return "NULL"
        case .int64(let value): return String(value)
        case .double(let value):
            // SQLite has no keyword for infinity, but it reads numbers beyond the range of doubles
            // as infinity.
            guard value.isFinite else { return value < 0 ? "-9e999" : "9e999" }
            return String(value)
        case .string(let text):
            // SQLite stops reading SQL at a NUL character.
            guard !text.utf8.contains(0) else {
                return "(CAST(\(Data(text.utf8).sqlLiteral) AS TEXT))"
            }
            return text.quoted(by: "'")
        case .blob(let data): return data.sqlLiteral
        }
    }
}

extension Data {
    fileprivate var sqlLiteral: String {
        "X'" + map { String(format: "%02X", $0) }.joined() + "'"
    }
}

extension Database {
    /// Runs one or more statements.
    ///
    /// ```swift
    /// try db.execute(literal: "UPDATE player SET score = \(score) WHERE id = \(id)")
    /// ```
    ///
    /// - Parameter sqlLiteral: Any number of statements, separated by semicolons.
    /// - Throws: The error that SQLite reports for the SQL, or `SQLITE_MISUSE` if the arguments do
    ///   not match the parameters.
    public func execute(literal sqlLiteral: SQL) throws {
        let (sql, arguments) = try sqlLiteral.build(self)
        try execute(sql: sql, arguments: arguments)
    }

    /// Prepares a statement with the arguments of the literal.
    ///
    /// - Throws: The error that SQLite reports for the SQL, or `SQLITE_MISUSE` if the arguments do
    ///   not match the parameters or the SQL contains several statements.
    public func makeStatement(literal sqlLiteral: SQL) throws -> Statement {
        let (sql, arguments) = try sqlLiteral.build(self)
        let statement = try makeStatement(sql: sql)
        if !arguments.isEmpty { try statement.setArguments(arguments) }
        return statement
    }

    /// Returns a cached or new statement with the arguments of the literal.
    ///
    /// If the literal has no arguments, the statement may still have the arguments of its last use.
    /// Set the arguments before you execute the statement.
    ///
    /// - Throws: The error that SQLite reports for the SQL, or `SQLITE_MISUSE` if the arguments do
    ///   not match the parameters or the SQL contains several statements.
    public func cachedStatement(literal sqlLiteral: SQL) throws -> Statement {
        let (sql, arguments) = try sqlLiteral.build(self)
        let statement = try cachedStatement(sql: sql)
        if !arguments.isEmpty { try statement.setArguments(arguments) }
        return statement
    }

    /// Returns a cursor over the statements of a literal, with the literal's arguments.
    ///
    /// - Throws: `SQLITE_MISUSE` if two parts use the same parameter name. The cursor throws an
    ///   error when it reaches invalid SQL.
    public func allStatements(literal sqlLiteral: SQL) throws -> SQLStatementCursor {
        let (sql, arguments) = try sqlLiteral.build(self)
        return try allStatements(sql: sql, arguments: arguments.isEmpty ? nil : arguments)
    }
}
