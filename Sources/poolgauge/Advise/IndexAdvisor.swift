import Capture
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

    /// Returns sets of `CREATE INDEX` statements for the plans that need an index, most promising
    /// first.
    ///
    /// A set with several statements contains indexes that help only together.
    static func indexes(for plans: [OperationProfile.Plan], schema: [String]) -> [[String]] {
        guard let database = PrivateSchema(schema) else { return [] }
        var proposals: [[String]] = []
        for plan in plans {
            for indexes in database.proposals(for: plan.sql) {
                let statements = indexes.map { index in
                    let names = [index.table] + index.columns.map(\.name)
                    return index.creation(
                        named: VariableRegistry.identifier(
                            "advised_" + names.joined(separator: "_")
                        )
                    )
                }
                if !proposals.contains(statements) { proposals.append(statements) }
            }
        }
        return proposals
    }
}
