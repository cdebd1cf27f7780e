import Capture
import Comparison
import Findings
import SQLTrace
import Telemetry
import WorkloadEngine

/// An advisor that proposes indexes for statements whose query plan scans a table or sorts.
enum IndexAdvisor {
    /// Returns the statements that created the tables, indexes, and views of a target's database.
    static func schema(of target: any WorkloadTarget) throws -> [String] {
        var statements: [String] = []
        try target.perform(.read, as: WorkloadClientName("advise")) { session in
            let rows = try session.rows(
                "SELECT sql FROM sqlite_master WHERE sql NOT NULL ORDER BY type IN ('index', 'trigger'), rowid",
                []
            )
            for case .text(let sql)? in rows.map(\.first) { statements.append(sql) }
        }
        return statements
    }

    /// Returns indexes for the plans that need one, and what prevents statements from using one.
    static func advice(
        on plans: [OperationProfile.Plan],
        of target: any WorkloadTarget
    ) throws -> IndexAdvice {
        let environment = try? target.environment()
        return advice(
            on: plans.map(\.sql),
            schema: try schema(of: target),
            enforcesKeys: environment?["foreign_keys"] == "1"
        )
    }

    /// Returns sets of `CREATE INDEX` statements, most promising first, and findings.
    ///
    /// A set with several statements contains indexes that help only together.
    static func advice(
        on statements: [String],
        schema: [String],
        enforcesKeys: Bool
    ) -> IndexAdvice {
        guard let database = PrivateSchema(schema) else { return IndexAdvice() }
        var advice = IndexAdvice()
        func add(_ indexes: [ProposedIndex]) {
            let statements = indexes.map(creation)
            if !advice.indexes.contains(statements) { advice.indexes.append(statements) }
        }
        func add(_ sql: String, _ text: String, _ remedy: String) {
            let obstacle = LoadFacts.Obstacle(sql: sql, text: text, remedy: remedy)
            if !advice.obstacles.contains(obstacle) { advice.obstacles.append(obstacle) }
        }
        // The best index for each statement comes first, after all of them together.
        var best: [String] = []
        var others: [[ProposedIndex]] = []
        for sql in statements {
            for key in database.keyIndexes(for: sql) {
                let (table, columns) = (key.index.table, key.index.columns.map(\.name))
                let name = "The foreign key \(table)(\(columns.joined(separator: ", ")))"
                let scan =
                    "SQLite reads all rows of \(table) for each row of \(key.parent) that it deletes"
                if enforcesKeys {
                    add([key.index])
                    best.append(creation(of: key.index))
                }
                add(
                    sql,
                    enforcesKeys
                        ? "\(name) has no index, so \(scan)."
                        : "\(name) has no index. This arm does not enforce foreign keys; if a program "
                            + "does (PRAGMA foreign_keys), \(scan).",
                    "Create an index on \(key.index.text)."
                )
            }
            let proposals = database.proposals(for: sql)
            if let first = proposals.first {
                add(first)
                best += first.map(creation)
                for index in first {
                    guard let obstacle = database.collationObstacle(of: index, for: sql) else {
                        continue
                    }
                    add(sql, obstacle.text, obstacle.remedy)
                }
            }
            others += proposals.dropFirst()
            for obstacle in database.obstacles(for: sql) {
                add(sql, obstacle.text, obstacle.remedy)
                if let index = obstacle.index {
                    add([index])
                    best.append(creation(of: index))
                }
            }
        }
        for indexes in others { add(indexes) }
        var together: [String] = []
        for statement in best where !together.contains(statement) { together.append(statement) }
        if together.count > 1, !advice.indexes.contains(together) {
            advice.indexes.insert(together, at: 0)
        }
        return advice
    }

    private static func creation(of index: ProposedIndex) -> String {
        let words = ([index.table] + index.columns.map(\.name)).joined(separator: "_")
        let name = VariableRegistry.identifier("advised_" + words)
        return index.creation(named: name + (index.filter == nil ? "" : "_partial"))
    }
}
