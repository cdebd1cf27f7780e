import SQLText

/// An index that would help a statement.
package struct ProposedIndex: Hashable, Sendable {
    package var table: String
    /// The indexed columns, each with its collation and direction, such as `name COLLATE NOCASE`.
    package var columns: [Column]
    /// The condition of a partial index, such as `state = 'open'`.
    package var filter: String?

    package struct Column: Hashable, Sendable {
        package var name: String
        package var collation: String?
        var isDescending = false
        /// Whether ``name`` is an expression, such as `lower(name)`.
        var isExpression = false

        var text: String {
            (isExpression ? name : SQLIdentifier.text(name))
                + (collation.map { " COLLATE \($0)" } ?? "") + (isDescending ? " DESC" : "")
        }
    }

    /// The table and the columns, such as `orders (user, state DESC)`.
    package var text: String {
        let list = columns.map(\.text).joined(separator: ", ")
        return "\(SQLIdentifier.text(table)) (\(list))" + (filter.map { " WHERE \($0)" } ?? "")
    }

    /// Returns the statement that creates the index.
    package func creation(named name: String) -> String {
        "CREATE INDEX \(SQLIdentifier.text(name)) ON \(text)"
    }
}

/// A search for indexes that improve a statement's plan in an empty database.
///
/// SQLite is the judge: the search creates an index, reads the plan, and removes the index again.
/// First come the columns that are compared for equality, then those of ORDER BY or one in a range
/// comparison (<https://sqlite.org/queryplanner.html>).
struct IndexSearch {
    private let schema: PrivateSchema
    private let sql: String

    /// The maximum number of columns in an index, and of columns that are tried.
    private static let columnLimit = 5
    private static let triedLimit = 40
    /// The collations that are tried in addition to the column's own.
    private static let collations = ["NOCASE", "BINARY", "RTRIM"]

    /// What a plan costs, as far as an empty database shows.
    private struct Score: Equatable {
        /// Tables that are read completely.
        var scans = 0
        /// Tables of which one end is read, up to a rowid.
        var halfScans = 0
        /// Sorts, where a sort of the last terms only counts less.
        var sorts = 0
        var equalities = 0
        var ranges = 0

        init(_ plan: [String]) {
            for line in plan {
                let isAutomatic = line.contains("AUTOMATIC")
                if isAutomatic || Score.isScan(line) { scans += 1 }
                if Score.isHalfScan(line) { halfScans += 1 }
                if line.contains("USE TEMP B-TREE FOR") { sorts += Score.terms(line) }
                guard !isAutomatic else { continue }
                equalities += line.count(of: "=?")
                ranges += line.count(of: ">?") + line.count(of: "<?")
            }
        }

        private static func isScan(_ line: String) -> Bool {
            line.hasPrefix("SCAN ") && !line.contains("VIRTUAL TABLE") && !line.contains("(")
                && !line.contains("CONSTANT ROW")
        }

        private static func isHalfScan(_ line: String) -> Bool {
            line.contains("INTEGER PRIMARY KEY (rowid<?)")
                || line.contains("INTEGER PRIMARY KEY (rowid>?)")
        }

        /// The number of sorted terms, or a large number if all are sorted.
        private static func terms(_ line: String) -> Int {
            if line.contains("LAST TERM") { return 1 }
            if line.contains("RIGHT PART") { return 10 }
            let words = line.split(separator: " ")
            guard let last = words.firstIndex(of: "LAST"), last + 1 < words.count else { return 20 }
            return Int(words[last + 1]) ?? 20
        }

        /// Whether fewer tables are read completely, or fewer terms sorted.
        func isBetter(than other: Score) -> Bool {
            (scans, halfScans, sorts) < (other.scans, other.halfScans, other.sorts)
        }
    }

    init(_ sql: String, in schema: PrivateSchema) {
        self.sql = sql
        self.schema = schema
    }

    /// Returns whether a plan reads a whole table, or sorts.
    static func isNeeded(for plan: [String]) -> Bool {
        let score = Score(plan)
        return score.scans > 0 || score.halfScans > 0 || score.sorts > 0
    }

    /// Returns sets of indexes that improve the plan, most promising first.
    ///
    /// Most sets contain one index. An OR may need an index for each of its terms. No index exists
    /// already, or is the start of one that exists.
    func proposals() -> [[ProposedIndex]] {
        var proposals: [[ProposedIndex]] = []
        for set in allProposals() {
            let new = set.filter { !schema.isCovered($0) }
            if !new.isEmpty, !proposals.contains(new) { proposals.append(new) }
        }
        return proposals
    }

    private func allProposals() -> [[ProposedIndex]] {
        let columns = Array(schema.columnsRead(by: sql).prefix(Self.triedLimit))
        guard !columns.isEmpty else { return [] }
        let before = Score(schema.plan(of: sql))
        var tables: [String] = []
        for column in columns where !tables.contains(column.table) { tables.append(column.table) }
        // Existing indexes must not compete while the columns are classified.
        let candidates = schema.withoutIndexes {
            tables.flatMap { table in
                self.candidates(table, names: columns.filter { $0.table == table }.map(\.column))
            }
        }
        let judged = candidates.map { ($0, score(with: [$0])) }
            .filter { $0.1.isBetter(than: before) }
            .sorted { first, second in
                first.1.isBetter(than: second.1)
                    || !second.1.isBetter(than: first.1)
                        && first.1.equalities > second.1.equalities
            }
        if let best = judged.first {
            // A join may need an index on each of its tables.
            var set = [best.0]
            var reached = best.1
            for candidate in candidates where !set.contains(where: { $0.table == candidate.table })
            {
                let score = score(with: set + [candidate])
                guard score.isBetter(than: reached) else { continue }
                set.append(candidate)
                reached = score
            }
            return (set.count > 1 ? [set] : [])
                + judged.flatMap { index, score in [[index]] + partial(index, as: score) }
        }
        let together = columns.map {
            ProposedIndex(table: $0.table, columns: [.init(name: $0.column)])
        }
        let used = schema.indexesUsed(by: sql, from: together)
        return score(with: used).isBetter(than: before) ? [used] : []
    }

    /// Returns a smaller index for a statement that compares a column with a constant, if the plan
    /// is as good with it.
    private func partial(_ index: ProposedIndex, as full: Score) -> [[ProposedIndex]] {
        let comparisons = SQLComparison.all(in: sql)
        var smaller = index
        var conditions: [String] = []
        for column in index.columns where smaller.columns.count > 1 {
            let constant = comparisons.lazy.compactMap { $0.constant(comparedWith: column.name) }
                .first
            guard let constant, column.collation == nil else { continue }
            smaller.columns.removeAll { $0.name == column.name }
            conditions.append("\(SQLIdentifier.text(column.name)) = \(constant)")
        }
        guard !conditions.isEmpty else { return [] }
        smaller.filter = conditions.joined(separator: " AND ")
        return full.isBetter(than: score(with: [smaller])) ? [] : [[smaller]]
    }

    private func score(with indexes: [ProposedIndex]) -> Score {
        Score(schema.plan(of: sql, with: indexes))
    }

    /// Returns indexes on one table: for equality, followed by sorting, by a range, or by nothing.
    private func candidates(_ table: String, names: [String]) -> [ProposedIndex] {
        let options = names.flatMap { name in
            [ProposedIndex.Column(name: name)]
                + Self.collations.map { .init(name: name, collation: $0) }
        }
        let equal = extended(ProposedIndex(table: table, columns: []), by: options) {
            $0.equalities > $1.equalities
        }
        let sorting = options.flatMap { column in
            [column, .init(name: column.name, collation: column.collation, isDescending: true)]
        }
        let sorted = extended(equal, by: sorting) { $0.sorts < $1.sorts }
        let ranged = extended(equal, by: options, limit: equal.columns.count + 1) {
            $0.ranges > $1.ranges
        }
        var found: [ProposedIndex] = []
        for index in [sorted, ranged, equal]
        where !index.columns.isEmpty && !found.contains(index) {
            found.append(index)
        }
        return found
    }

    /// Appends columns to an index while this improves the plan.
    private func extended(
        _ index: ProposedIndex,
        by options: [ProposedIndex.Column],
        limit: Int = columnLimit,
        improves: (Score, Score) -> Bool
    ) -> ProposedIndex {
        var index = index
        var best = score(with: index.columns.isEmpty ? [] : [index])
        while index.columns.count < limit {
            var next: (ProposedIndex, Score)?
            for column in options where !index.columns.contains(where: { $0.name == column.name }) {
                var longer = index
                longer.columns.append(column)
                let score = score(with: [longer])
                guard score.scans <= best.scans, improves(score, next?.1 ?? best) else { continue }
                next = (longer, score)
            }
            guard let next else { break }
            (index, best) = next
        }
        return index
    }
}

extension PrivateSchema {
    /// Returns sets of indexes that improve a statement's plan, most promising first.
    ///
    /// The patterns of LIKE and GLOB may be parameters, whose values are assumed to be prefixes.
    package func proposals(for sql: String) -> [[ProposedIndex]] {
        let sql = SQLComparison.withPrefixes(sql)
        guard IndexSearch.isNeeded(for: plan(of: sql)) else { return [] }
        return IndexSearch(sql, in: self).proposals()
    }

    /// Whether a change of a statement lets it use an index that exists or can be created.
    func helps(_ changed: String, insteadOf sql: String) -> Bool {
        let before = plan(of: sql)
        let after = plan(of: changed)
        guard !after.isEmpty, IndexSearch.isNeeded(for: before) else { return false }
        return IndexSearch.isBetter(after, than: before) || !proposals(for: changed).isEmpty
    }
}

extension IndexSearch {
    /// Whether a plan reads fewer whole tables, or sorts fewer terms, than another one.
    static func isBetter(_ plan: [String], than other: [String]) -> Bool {
        Score(plan).isBetter(than: Score(other))
    }
}

extension String {
    fileprivate func count(of part: String) -> Int { components(separatedBy: part).count - 1 }
}
