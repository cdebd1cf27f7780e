/// What a snapshot shows, in a few bytes: equal states have equal digests.
struct StateDigest: Equatable, Sendable {
    /// A statement to read with, and its values.
    struct Query: Sendable {
        var sql: String
        var values: [WorkloadValue]
    }

    private var hash: Int
    private var rows: Int

    /// How many rows of each table are looked at when no statement says what to read.
    private static let rowsPerTable = 1000

    /// Reads what a snapshot shows.
    ///
    /// With no queries: of each table the number of its rows and the first thousand of them.
    static func of(_ snapshot: any WorkloadSnapshot, _ queries: [Query]) throws -> StateDigest {
        // A hasher is seeded for each process, and no digest leaves it.
        var hasher = Hasher()
        var rows = 0
        try snapshot.read { session in
            for query in queries.isEmpty ? try defaultQueries(session) : queries {
                let result = try session.rows(query.sql, query.values)
                rows += result.count
                hasher.combine(result)
            }
        }
        return StateDigest(hash: hasher.finalize(), rows: rows)
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
            let table = "\"" + name.replacing("\"", with: "\"\"") + "\""
            return [
                Query(sql: "SELECT count(*) FROM \(table)", values: []),
                Query(sql: "SELECT * FROM \(table) LIMIT \(rowsPerTable)", values: []),
            ]
        }
    }
}
