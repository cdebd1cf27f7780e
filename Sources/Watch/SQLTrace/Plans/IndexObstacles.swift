import SQLText

/// What prevents a statement from using an index, as SQLite's plans of changed statements show.
package struct IndexObstacle: Hashable, Sendable {
    /// The reason, in one or two sentences.
    package var text: String
    /// A change to the statement or the schema.
    package var remedy: String
    /// An index on the expression, if one helps without a change to the statement.
    package var index: ProposedIndex?
}

extension PrivateSchema {
    /// The types to which a statement can convert an operand.
    private static let types = ["TEXT", "INTEGER", "NUMERIC"]

    /// Returns what prevents a statement from using an index: a comparison of columns with
    /// different affinities, a call around a column, or a collation.
    package func obstacles(for sql: String) -> [IndexObstacle] {
        guard IndexSearch.isNeeded(for: plan(of: sql)) else { return [] }
        let columns = columnsRead(by: sql)
        var found: [IndexObstacle] = []
        for comparison in SQLComparison.all(in: sql) {
            let sides = [
                (comparison.left, comparison.right), (comparison.right, comparison.left),
            ]
            for (one, other) in sides {
                if let obstacle = affinity(of: one, comparedWith: other, in: columns, sql: sql)
                    ?? expression(one, columns: columns, sql: sql), !found.contains(obstacle)
                {
                    found.append(obstacle)
                }
            }
        }
        return found
    }

    /// Comparing TEXT with a number applies numeric affinity to the text, so that an index on it,
    /// which sorts by text, cannot be used (<https://sqlite.org/datatype3.html>, section 4.2).
    private func affinity(
        of one: SQLComparison.Operand,
        comparedWith other: SQLComparison.Operand,
        in columns: [ReadColumn],
        sql: String
    ) -> IndexObstacle? {
        guard one.isPlain, other.isPlain, let from = one.reference, let to = other.reference else {
            return nil
        }
        let types = [other, one].map { declaredType(of: $0, among: columns, in: sql) }
        let affinities = types.map(Self.affinity)
        // Between equal affinities, SQLite converts nothing: a cast only changes the order of a join.
        if let first = affinities[0], first == affinities[1] { return nil }
        for type in Self.types {
            let cast = "CAST(\(from) AS \(type))"
            let changed = SQLComparison.replacing(one, with: cast, in: sql)
            guard helps(changed, insteadOf: sql) else { continue }
            return IndexObstacle(
                text:
                    "\(other.text) (\(types[0])) is compared with \(one.text) (\(types[1])). SQLite "
                    + "converts \(to) for the comparison, so no index on \(to) can be used.",
                remedy: "Declare both columns with the same type, or compare \(to) with \(cast)."
            )
        }
        return nil
    }

    /// How SQLite compares the values of a column.
    private enum Affinity { case number, text, none }

    /// Returns the affinity of a declared type, or `nil` if it is not known
    /// (<https://sqlite.org/datatype3.html>, section 3.1).
    private static func affinity(_ type: String) -> Affinity? {
        let type = type.uppercased()
        if type == unknownType || type.contains(" OR ") { return nil }
        if type.contains("INT") { return .number }
        if ["CHAR", "CLOB", "TEXT"].contains(where: type.contains) { return .text }
        return type.contains("BLOB") || type == untyped ? Affinity.none : .number
    }

    private static let unknownType = "ANOTHER TYPE"
    private static let untyped = "NO TYPE"

    /// An index on a column does not contain the results of expressions
    /// (<https://sqlite.org/expridx.html>).
    private func expression(
        _ operand: SQLComparison.Operand,
        columns: [ReadColumn],
        sql: String
    ) -> IndexObstacle? {
        guard !operand.isPlain, let reference = operand.reference, let column = operand.column,
            helps(SQLComparison.replacing(operand, with: reference, in: sql), insteadOf: sql)
        else { return nil }
        let unqualified = operand.text.replacing(reference, with: SQLIdentifier.text(column))
        let index = columns.first { $0.column.lowercased() == column.lowercased() }.map { read in
            ProposedIndex(
                table: read.table,
                columns: [.init(name: unqualified, isExpression: true)]
            )
        }
        // A unary plus is removed from the expression of an index.
        let helpful = index.flatMap { index in
            let changed = plan(of: sql, with: [index])
            return IndexSearch.isBetter(changed, than: plan(of: sql)) ? index : nil
        }
        return IndexObstacle(
            text: "\(operand.text) is an expression, so no index on \(reference) can be used.",
            remedy: "Compare \(reference) itself"
                + (helpful.map { ", or create an index on the expression, \($0.text)." } ?? "."),
            index: helpful
        )
    }

    private func declaredType(
        of operand: SQLComparison.Operand,
        among columns: [ReadColumn],
        in sql: String
    ) -> String {
        var found = columns.filter { $0.column.lowercased() == operand.column?.lowercased() }
        if found.count > 1, let table = SQLComparison.table(of: operand, in: sql) {
            found = found.filter { $0.table.lowercased() == table.lowercased() }
        }
        let types = Set(found.compactMap { declaredType(of: $0) })
        guard types.count == 1, let type = types.first else {
            return found.isEmpty
                ? Self.unknownType.lowercased() : types.sorted().joined(separator: " or ")
        }
        return type.isEmpty ? Self.untyped.lowercased() : type
    }

    /// Returns what prevents the use of an existing index on the first column of a proposed one:
    /// another collation.
    package func collationObstacle(of proposed: ProposedIndex, for sql: String) -> IndexObstacle? {
        guard let column = proposed.columns.first, let collation = column.collation,
            let existing = indexes(on: column.name, of: proposed.table)
                .first(where: { $0.collation.uppercased() != collation })
        else { return nil }
        let isPattern =
            SQLComparison.all(in: sql).isEmpty
            || SQLToken.significant(in: sql).contains { $0.keyword == "LIKE" }
        return IndexObstacle(
            text:
                "The index \(existing.name) on \(proposed.table).\(column.name) has the collation "
                + "\(existing.collation), but "
                + (isPattern
                    ? "LIKE ignores case" : "the comparison has the collation \(collation)")
                + ", so the index cannot be used.",
            remedy: "Create an index with the collation \(collation): \(proposed.text)."
        )
    }

    /// Returns the indexes on foreign keys that a statement needs to delete or change rows of the
    /// parent table (<https://sqlite.org/foreignkeys.html>, section 3).
    package func keyIndexes(for sql: String) -> [(index: ProposedIndex, parent: String)] {
        guard let table = SQLComparison.changedTable(in: sql) else { return [] }
        return unindexedKeys().filter { $0.parent.lowercased() == table.lowercased() }
            .map { ($0.index, $0.parent) }
    }
}

extension SQLComparison {
    /// Returns the table to which the alias of an operand refers, or the alias if it has no table.
    static func table(of operand: Operand, in sql: String) -> String? {
        let names = SQLToken.significant(in: operand.reference ?? "")
        guard names.count == 3, let alias = names.first?.name else { return nil }
        let tokens = SQLToken.significant(in: sql)
        for index in tokens.indices where tokens[index].isName {
            guard tokens[index].name.lowercased() == alias.lowercased(), index > 0,
                index + 1 >= tokens.count || !tokens[index + 1].isSymbol(".")
            else { continue }
            let isAs = tokens[index - 1].keyword == "AS"
            guard index > (isAs ? 1 : 0) else { continue }
            let table = tokens[index - (isAs ? 2 : 1)]
            if table.isName, !["FROM", "JOIN"].contains(table.keyword) { return table.name }
        }
        return alias
    }

    /// The table from which a statement deletes rows, including by REPLACE, or `nil` if there is
    /// none.
    static func changedTable(in sql: String) -> String? {
        let tokens = SQLToken.significant(in: sql)
        var depth = 0
        for (index, token) in tokens.enumerated() {
            if token.isSymbol("(") { depth += 1 }
            if token.isSymbol(")") { depth -= 1 }
            guard depth == 0 else { continue }
            // DELETE FROM, REPLACE INTO, or OR REPLACE INTO
            guard ["DELETE", "REPLACE"].contains(token.keyword) else { continue }
            let start = index + 2
            guard start < tokens.count, tokens[start].isName else { return nil }
            let isQualified = start + 2 < tokens.count && tokens[start + 1].isSymbol(".")
            return tokens[isQualified ? start + 2 : start].name
        }
        return nil
    }
}
