import SQLText
import Text

/// A statement in batches of consecutive row IDs, each in a transaction of its own.
///
/// The variant is equivalent to the statement only if what it does to a row does not depend on other
/// rows that it changes. ``init(_:tables:)`` therefore accepts only statements for which the text
/// and the schema show this.
package struct BatchedStatement: Sendable, Codable, Equatable {
    /// The line of the statement in the script, starting with 1.
    package var line: Int
    /// The table whose row IDs divide the work, as an identifier.
    package var table: String
    /// The name of the row ID: `rowid`, or a synonym if a column has that name.
    package var key: String
    /// The statement with the parameters `:poolgauge_from` and `:poolgauge_upto`, which are the first
    /// and the last row ID of a batch.
    package var sql: String
    /// Whether the statement uses the current time, which differs between batches.
    package var usesClock: Bool
    /// Whether the statement copies rows that others may change after their batch.
    package var copiesRows: Bool

    /// Why a statement cannot be divided.
    package struct Obstacle: Error, Equatable, CustomStringConvertible {
        package var description: String

        init(_ description: String) { self.description = description }
    }

    /// The query for the first and the last row ID, which are `NULL` for an empty table.
    package var boundsSQL: String { "SELECT min(\(key)), max(\(key)) FROM \(table)" }

    /// The query for the last row ID of the next batch, with the parameters `:poolgauge_from`,
    /// `:poolgauge_last`, and `:poolgauge_rows`.
    package var nextSQL: String {
        "SELECT max(k) FROM (SELECT \(key) AS k FROM \(table) WHERE \(key) BETWEEN :poolgauge_from "
            + "AND :poolgauge_last ORDER BY \(key) LIMIT :poolgauge_rows)"
    }

    /// Divides a statement.
    ///
    /// - Parameters:
    ///   - statement: The statement.
    ///   - tables: The tables and views of the database before the migration, by name in lowercase.
    ///   - createsTriggers: Whether the migration creates triggers.
    /// - Throws: An ``Obstacle`` if the statement cannot be divided.
    package init(
        _ statement: MigrationScript.Statement,
        tables: [String: TableFacts],
        createsTriggers: Bool = false
    ) throws(Obstacle) {
        let parser = Parser(
            tokens: SQLToken.significant(in: statement.sql),
            bytes: Array(statement.sql.utf8),
            tables: tables,
            createsTriggers: createsTriggers
        )
        let parts = try parser.parts()
        line = statement.line
        table = parts.table
        key = parts.key
        sql = parts.sql
        usesClock = parser.usesClock
        copiesRows = parts.copiesRows
    }

    /// The condition that limits a batch.
    fileprivate static func range(of name: String, key: String) -> String {
        "\(name).\(key) BETWEEN :poolgauge_from AND :poolgauge_upto"
    }
}

/// A parser of the statements that can be divided.
private struct Parser {
    typealias Obstacle = BatchedStatement.Obstacle

    struct Parts {
        var table: String
        var key: String
        var sql: String
        var copiesRows = false
    }

    let tokens: [SQLToken]
    let bytes: [UInt8]
    let tables: [String: TableFacts]
    let createsTriggers: Bool

    private static let clocks: Set = [
        "CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP", "DATE", "DATETIME", "JULIANDAY",
        "STRFTIME", "TIME", "TIMEDIFF", "UNIXEPOCH",
    ]
    private static let volatileFunctions: Set = [
        "CHANGES", "LAST_INSERT_ROWID", "RANDOM", "RANDOMBLOB", "TOTAL_CHANGES",
    ]
    private static let aggregates: Set = [
        "AVG", "COUNT", "GROUP_CONCAT", "JSONB_GROUP_ARRAY", "JSONB_GROUP_OBJECT",
        "JSON_GROUP_ARRAY", "JSON_GROUP_OBJECT", "MAX", "MEDIAN", "MIN", "PERCENTILE",
        "PERCENTILE_CONT", "PERCENTILE_DISC", "STRING_AGG", "SUM", "TOTAL",
    ]
    /// Words on the top level of a statement that make its rows depend on each other, or that this
    /// parser does not divide.
    private static let unsupported: Set = [
        "DISTINCT", "EXCEPT", "GROUP", "HAVING", "INDEXED", "INTERSECT", "JOIN", "LIMIT", "ORDER",
        "RETURNING", "UNION", "WINDOW",
    ]

    var usesClock: Bool {
        tokens.contains { Self.clocks.contains($0.keyword) && $0.keyword.hasPrefix("CURRENT") }
            || tokens.contains { $0.kind == .string && $0.unquoted.lowercased() == "now" }
            || tokens.indices.contains { index in
                // Without arguments, these functions return the current time.
                Self.clocks.contains(tokens[index].keyword) && isSymbol("(", at: index + 1)
                    && isSymbol(")", at: index + 2)
            }
    }

    func parts() throws(Obstacle) -> Parts {
        guard let verb = tokens.first?.keyword, ["DELETE", "INSERT", "UPDATE"].contains(verb) else {
            throw Obstacle("only UPDATE, DELETE, and INSERT … SELECT can be divided")
        }
        if tokens.contains(where: { $0.kind == .variable }) {
            throw Obstacle("the statement has parameters")
        }
        for (index, token) in tokens.enumerated() where isSymbol("(", at: index + 1) {
            if Self.volatileFunctions.contains(token.keyword) {
                throw Obstacle("\(token.text)() returns other values in each batch")
            }
        }
        for token in tokens where ["OVER", "FILTER"].contains(token.keyword) {
            throw Obstacle("it uses a window function or a filter")
        }
        for index in topLevel where Self.unsupported.contains(tokens[index].keyword) {
            throw Obstacle("a statement with \(tokens[index].keyword) is not divided")
        }
        for token in tokens where token.isName {
            guard let facts = tables[token.unquoted.lowercased()], !facts.isOrdinary else {
                continue
            }
            throw Obstacle("'\(facts.name)' is a view or a virtual table")
        }
        return switch verb {
        case "UPDATE": try update()
        case "DELETE": try delete()
        default: try insert()
        }
    }

    // MARK: Statements

    private func update() throws(Obstacle) -> Parts {
        let (name, next) = try tableName(at: 1)
        guard keyword(next) == "SET" else {
            throw Obstacle("only UPDATE table SET … is divided, without OR and without an alias")
        }
        if let from = first("FROM", after: next) {
            throw Obstacle("a statement with UPDATE … \(tokens[from].keyword) is not divided")
        }
        let facts = try changedTable(name)
        let condition = first("WHERE", after: next)
        let end = condition ?? tokens.count
        let key = try key(of: facts)
        let fixed = Set([key, "rowid", "_rowid_", "oid", facts.key?.lowercased() ?? key])
        for column in assignedColumns(in: next + 1..<end) where fixed.contains(column) {
            throw Obstacle("it changes '\(column)', which identifies the rows")
        }
        try checkReferences(to: name, from: next)
        let assignments = text(next..<end)
        return Parts(
            table: SQLIdentifier.text(facts.name),
            key: key,
            sql: "UPDATE \(SQLIdentifier.text(facts.name)) NOT INDEXED \(assignments)"
                + whereClause(condition, name: SQLIdentifier.text(facts.name), key: key)
        )
    }

    private func delete() throws(Obstacle) -> Parts {
        guard keyword(1) == "FROM" else { throw Obstacle("it is not DELETE FROM table …") }
        let (name, next) = try tableName(at: 2)
        guard next == tokens.count || keyword(next) == "WHERE" else {
            throw Obstacle("only DELETE FROM table WHERE … is divided, without an alias")
        }
        let facts = try changedTable(name)
        let key = try key(of: facts)
        try checkReferences(to: name, from: next)
        return Parts(
            table: SQLIdentifier.text(facts.name),
            key: key,
            sql: "DELETE FROM \(SQLIdentifier.text(facts.name)) NOT INDEXED"
                + whereClause(
                    next < tokens.count ? next : nil,
                    name: SQLIdentifier.text(facts.name),
                    key: key
                )
        )
    }

    private func insert() throws(Obstacle) -> Parts {
        guard keyword(1) == "INTO" else {
            throw Obstacle("only INSERT INTO table SELECT … is divided, without OR")
        }
        let (target, afterTarget) = try tableName(at: 2)
        if let facts = tables[target.lowercased()] {
            if facts.hasTriggers { throw Obstacle("'\(facts.name)' has triggers") }
        } else if createsTriggers {
            throw Obstacle("the migration creates '\(target)' and triggers")
        }
        guard let select = first("SELECT", after: afterTarget - 1),
            let from = first("FROM", after: select)
        else { throw Obstacle("only INSERT … SELECT … FROM is divided") }
        guard afterTarget == select || isSymbol("(", at: afterTarget) else {
            throw Obstacle("only INSERT INTO table (columns) SELECT … is divided")
        }
        for index in select..<tokens.count
        where isSymbol("(", at: index + 1) && Self.aggregates.contains(tokens[index].keyword) {
            throw Obstacle("\(tokens[index].text)() may depend on several rows")
        }
        let (source, afterSource) = try tableName(at: from + 1)
        var next = afterSource
        var alias = source
        if keyword(next) == "AS" { next += 1 }
        if next < tokens.count, tokens[next].isName, keyword(next) != "WHERE" {
            alias = tokens[next].unquoted
            next += 1
        }
        guard next == tokens.count || keyword(next) == "WHERE" else {
            throw Obstacle("only a SELECT from one table with WHERE is divided")
        }
        guard let facts = tables[source.lowercased()] else {
            throw Obstacle("the table '\(source)' does not exist before the migration")
        }
        for index in (afterTarget..<tokens.count) where isTable(target, at: index) {
            throw Obstacle("it reads the table that it changes")
        }
        let others = Array(select..<from) + Array(next..<tokens.count)
        for index in others where isTable(source, at: index) {
            throw Obstacle("it reads '\(source)' in more than one place")
        }
        if first("ON", after: next) != nil { throw Obstacle("it has ON CONFLICT") }
        let key = try key(of: facts)
        let range = SQLIdentifier.text(alias)
        return Parts(
            table: SQLIdentifier.text(facts.name),
            key: key,
            sql: text(0..<next) + "\nNOT INDEXED"
                + whereClause(next < tokens.count ? next : nil, name: range, key: key),
            copiesRows: true
        )
    }

    /// Returns the condition of a batch: that of the statement, if any, and the range of row IDs.
    private func whereClause(_ condition: Int?, name: String, key: String) -> String {
        let range = BatchedStatement.range(of: name, key: key)
        guard let condition else { return "\nWHERE " + range }
        // A comment may end the condition.
        return "\nWHERE (\(text(condition + 1..<tokens.count))\n) AND " + range
    }

    // MARK: Tables

    private func changedTable(_ name: String) throws(Obstacle) -> TableFacts {
        guard let facts = tables[name.lowercased()] else {
            throw Obstacle("the table '\(name)' does not exist before the migration")
        }
        if facts.hasTriggers || createsTriggers {
            throw Obstacle("'\(facts.name)' has triggers, which may change other rows")
        }
        return facts
    }

    private func key(of facts: TableFacts) throws(Obstacle) -> String {
        guard facts.hasRowIDs,
            let key = ["rowid", "_rowid_", "oid"].first(where: { !facts.columns.contains($0) })
        else {
            throw Obstacle("the rows of '\(facts.name)' have no row ID (WITHOUT ROWID)")
        }
        return key
    }

    /// Checks that no subquery reads the changed table.
    private func checkReferences(to name: String, from start: Int) throws(Obstacle) {
        for index in start..<tokens.count where isTable(name, at: index) {
            throw Obstacle("a subquery reads the table that the statement changes")
        }
    }

    /// Returns whether a token is a table's name, and not the qualifier of a column.
    private func isTable(_ name: String, at index: Int) -> Bool {
        guard tokens[index].isName, tokens[index].unquoted.lowercased() == name.lowercased() else {
            return false
        }
        // A column may have the name of the table, but only tables follow these words.
        return !isSymbol(".", at: index + 1)
            && (isSymbol(",", at: index - 1) || isSymbol("(", at: index - 1)
                || ["FROM", "JOIN", "IN"].contains(keyword(index - 1))
                || isSymbol(".", at: index - 1) && keyword(index - 2) == "MAIN")
    }

    /// Returns the name of a table, possibly qualified with `main`, and the index after it.
    private func tableName(at index: Int) throws(Obstacle) -> (name: String, next: Int) {
        guard index < tokens.count, tokens[index].isName else {
            throw Obstacle("the statement does not begin with the name of a table")
        }
        guard isSymbol(".", at: index + 1) else { return (tokens[index].unquoted, index + 1) }
        guard tokens[index].unquoted.lowercased() == "main", index + 2 < tokens.count,
            tokens[index + 2].isName
        else { throw Obstacle("it changes a table of another database") }
        return (tokens[index + 2].unquoted, index + 3)
    }

    /// Returns the columns to the left of each `=` in a list of assignments, in lowercase.
    private func assignedColumns(in range: Range<Int>) -> [String] {
        var columns: [String] = []
        var depth = 0
        var isLeft = true
        for index in range {
            if isSymbol("(", at: index) { depth += 1 }
            if isSymbol(")", at: index) { depth -= 1 }
            if isLeft, tokens[index].isName { columns.append(tokens[index].unquoted.lowercased()) }
            if depth == 0, isSymbol("=", at: index) { isLeft = false }
            if depth == 0, isSymbol(",", at: index) { isLeft = true }
        }
        return columns
    }

    // MARK: Tokens

    /// The indices of the tokens outside parentheses.
    private var topLevel: [Int] {
        var depth = 0
        return tokens.indices.filter { index in
            if isSymbol("(", at: index) { depth += 1 }
            defer { if isSymbol(")", at: index) { depth -= 1 } }
            return depth == 0
        }
    }

    private func first(_ word: String, after start: Int) -> Int? {
        topLevel.first { $0 > start && tokens[$0].keyword == word }
    }

    private func keyword(_ index: Int) -> String {
        tokens.indices.contains(index) ? tokens[index].keyword : ""
    }

    private func isSymbol(_ symbol: String, at index: Int) -> Bool {
        tokens.indices.contains(index) && tokens[index].isSymbol(symbol)
    }

    private func text(_ range: Range<Int>) -> String {
        guard let first = range.first, let last = range.last, tokens.indices.contains(last) else {
            return ""
        }
        let position = tokens[first].range.lowerBound..<tokens[last].range.upperBound
        return String(decoding: bytes[position], as: UTF8.self)
    }
}
