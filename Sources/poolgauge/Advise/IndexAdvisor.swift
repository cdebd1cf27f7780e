import Capture
import SQLText
import WorkloadEngine

/// An advisor that proposes indexes for statements whose query plan scans a table or sorts.
///
/// The plan determines the table. The statement determines the columns: first the columns that
/// WHERE, ON, and USING compare for equality, then the columns of ORDER BY or the first column in a
/// range comparison (<https://sqlite.org/queryplanner.html>).
struct IndexAdvisor {
    let schema: CaptureSchema

    private static let columnLimit = 3

    /// Returns `CREATE INDEX` statements for the plans that need an index, most promising first.
    func indexes(for plans: [OperationProfile.Plan]) -> [String] {
        var proposals: [String] = []
        for plan in plans {
            for statement in indexes(for: plan.sql, plan: plan.lines)
            where !proposals.contains(statement) {
                proposals.append(statement)
            }
        }
        return proposals
    }

    private func indexes(for sql: String, plan: [String]) -> [String] {
        let tokens = SQLToken.significant(in: sql)
        let tables = StatementTables(tokens, schema)
        let search = SearchedColumns(tokens, tables)
        let needsSort = plan.contains {
            $0.contains("USE TEMP B-TREE FOR") && $0.contains("ORDER BY")
        }
        var tableNames = plan.compactMap(Self.scannedName).compactMap {
            tables.table(alias: $0)?.name
        }
        if needsSort, let table = search.orderColumns.first?.table { tableNames.append(table) }
        var proposals: [String] = []
        var seen: Set<String> = []
        for table in tableNames where seen.insert(table).inserted {
            for columns in search.candidates(of: table) {
                // Omit the rowid, because every index ends with it.
                let chosen = columns.filter { schema.table(table)?.column($0)?.isRowID != true }
                    .prefix(Self.columnLimit)
                guard !chosen.isEmpty else { continue }
                let statement = Self.statement(table, Array(chosen))
                if !proposals.contains(statement) { proposals.append(statement) }
            }
        }
        return proposals
    }

    /// Returns the name or alias of the table in a line such as `SCAN o` or
    /// `SEARCH o USING AUTOMATIC COVERING INDEX (…)`.
    private static func scannedName(_ line: String) -> String? {
        let words = line.split(separator: " ").map(String.init)
        guard words.count >= 2 else { return nil }
        let isScan = words[0] == "SCAN" && !line.contains("VIRTUAL TABLE")
        let isAutomatic = words[0] == "SEARCH" && line.contains("AUTOMATIC")
        guard isScan || isAutomatic else { return nil }
        // Older versions of SQLite write SCAN TABLE orders AS o.
        guard words[1] == "TABLE", words.count > 2 else { return words[1] }
        return words.count > 4 && words[3] == "AS" ? words[4] : words[2]
    }

    private static func statement(_ table: String, _ columns: [String]) -> String {
        let name = VariableRegistry.identifier(
            "advised_" + ([table] + columns).joined(separator: "_")
        )
        let list = columns.map(TableStatements.quoted).joined(separator: ", ")
        return "CREATE INDEX \(name) ON \(TableStatements.quoted(table)) (\(list))"
    }
}

/// The columns that a statement uses for searching and sorting.
struct SearchedColumns {
    private(set) var equalColumns: [Variable.Column] = []
    private(set) var rangeColumns: [Variable.Column] = []
    private(set) var orderColumns: [Variable.Column] = []

    private static let equalities: Set = ["=", "==", "IS", "IN"]
    private static let inequalities: Set = ["<", "<=", ">", ">=", "BETWEEN"]
    private static let searchClauses: Set = ["WHERE", "ON"]
    private static let clauseWords: Set = [
        "SELECT", "FROM", "WHERE", "SET", "VALUES", "LIMIT", "OFFSET", "ORDER", "GROUP", "HAVING",
        "ON", "RETURNING", "USING", "JOIN", "WINDOW",
    ]

    init(_ tokens: [SQLToken], _ tables: StatementTables) {
        var clause = ""
        var orderIsComplete = false
        var depth = 0
        var clauses: [String] = []
        for index in tokens.indices {
            let token = tokens[index]
            let text = token.keyword
            if text == "(" {
                clauses.append(clause)
                depth += 1
            } else if text == ")" {
                clause = clauses.popLast() ?? ""
                depth -= 1
            } else if Self.clauseWords.contains(token.keyword) {
                clause = token.keyword
                if clause == "ORDER" { orderIsComplete = false }
            }
            if Self.searchClauses.contains(clause) {
                if Self.equalities.contains(text) {
                    for column in Self.sides(of: index, tokens, tables) {
                        Self.add(column, &equalColumns)
                    }
                } else if Self.inequalities.contains(text) {
                    for column in Self.sides(of: index, tokens, tables) {
                        Self.add(column, &rangeColumns)
                    }
                }
            } else if clause == "ORDER", depth == 0, !orderIsComplete {
                // SQLite reads an index in one direction, so ignore the columns after a descending
                // column that is not the first.
                if token.keyword == "DESC", orderColumns.count > 1 { orderIsComplete = true }
                let isTerm =
                    index > 0
                    && ["BY", ","].contains(tokens[index - 1].keyword)
                if isTerm {
                    guard let column = Self.column(startingAt: index, tokens, tables) else {
                        orderIsComplete = true
                        continue
                    }
                    Self.add(column, &orderColumns)
                }
            }
        }
        rangeColumns.removeAll { equalColumns.contains($0) }
        if let first = orderColumns.first {
            orderColumns = Array(orderColumns.prefix { $0.table == first.table })
        }
    }

    /// Returns the columns of each candidate index on a table.
    ///
    /// There is one candidate for sorting and one for a range. If there is neither, the candidate
    /// contains only the columns that are compared for equality.
    func candidates(of table: String) -> [[String]] {
        let equal = equalColumns.filter { $0.table == table }.map(\.name)
        let order = orderColumns.filter { $0.table == table }.map(\.name)
            .filter { !equal.contains($0) }
        let range = rangeColumns.first { $0.table == table }?.name
        var lists: [[String]] = []
        if !order.isEmpty { lists.append(equal + order) }
        if let range, order.first != range { lists.append(equal + [range]) }
        if lists.isEmpty, !equal.isEmpty { lists.append(equal) }
        return lists
    }

    private static func add(_ column: Variable.Column, _ list: inout [Variable.Column]) {
        if !list.contains(column) { list.append(column) }
    }

    /// Returns the columns on both sides of the operator at an index.
    private static func sides(
        of index: Int,
        _ tokens: [SQLToken],
        _ tables: StatementTables
    ) -> [Variable.Column] {
        let previous = index - 1
        if previous > 0, tokens[previous].keyword == "NOT" { return [] }
        var found: [Variable.Column] = []
        if previous >= 0, tokens[previous].isName {
            let hasQualifier = previous >= 2 && tokens[previous - 1].keyword == "."
            let qualifier = hasQualifier ? tokens[previous - 2].unquoted : nil
            if let column = tables.column(tokens[previous].unquoted, of: qualifier) {
                found.append(column)
            }
        }
        if let column = column(startingAt: index + 1, tokens, tables) { found.append(column) }
        return found
    }

    private static func column(
        startingAt index: Int,
        _ tokens: [SQLToken],
        _ tables: StatementTables
    ) -> Variable.Column? {
        guard tokens.indices.contains(index), tokens[index].isName else { return nil }
        if tokens.indices.contains(index + 2), tokens[index + 1].keyword == "." {
            return tables.column(tokens[index + 2].unquoted, of: tokens[index].unquoted)
        }
        // A function's name is not a column.
        if tokens.indices.contains(index + 1), tokens[index + 1].keyword == "(" { return nil }
        return tables.column(tokens[index].unquoted, of: nil)
    }
}
