import Scenarios
import Telemetry

/// A digest that is equal for equal states of a snapshot.
struct StateDigest: Equatable, Sendable {
    struct Query: Sendable {
        var sql: String
        var values: [WorkloadValue]
    }

    private var hash: Int
    private var rows: Int

    private static let rowsPerTable = 1000

    /// Creates the digest of the queries' results.
    ///
    /// Without queries, the digest covers the row count and the first thousand rows of each table.
    init(of snapshot: any WorkloadSnapshot, queries: [Query]) throws {
        // The seed of `Hasher` differs between processes, but digests are compared only within a
        // process.
        var hasher = Hasher()
        var rows = 0
        try snapshot.read { session in
            for query in queries.isEmpty ? try Self.defaultQueries(session) : queries {
                let result = try session.rows(query.sql, query.values)
                rows += result.count
                hasher.combine(result)
            }
        }
        hash = hasher.finalize()
        self.rows = rows
    }

    private static func defaultQueries(_ session: any WorkloadSession) throws -> [Query] {
        let tables = try session.rows(
            """
            SELECT name FROM sqlite_master \
            WHERE type = 'table' AND name NOT LIKE 'sqlite@_%' ESCAPE '@' ORDER BY name
            """,
            []
        )
        return tables.flatMap { row -> [Query] in
            guard case .text(let name) = row.first else { return [] }
            let table = name.quoted(by: "\"")
            return [
                Query(sql: "SELECT count(*) FROM \(table)", values: []),
                Query(sql: "SELECT * FROM \(table) LIMIT \(rowsPerTable)", values: []),
            ]
        }
    }
}
