extension DatasetBuilder {
    /// The number of accounts that one statement inserts, in its own transaction.
    private static let accountBatch = 20_000

    static func buildPgbench(
        scale: Int,
        in target: any WorkloadTarget,
        progress: (Double) throws -> Void
    ) throws {
        try run(PgbenchDataset.schema, in: target)
        try target.perform(.write, as: client) { session in
            try insertNumbers(
                into: "branches (bid, bbalance)",
                columns: "n, 0",
                numbers: 1...scale,
                session
            )
            try insertNumbers(
                into: "tellers (tid, bid, tbalance)",
                columns: "n, (n - 1) / \(PgbenchDataset.tellersPerScale) + 1, 0",
                numbers: 1...scale * PgbenchDataset.tellersPerScale,
                session
            )
        }
        let count = scale * PgbenchDataset.accountsPerScale
        for first in stride(from: 1, through: count, by: accountBatch) {
            let last = min(first + accountBatch - 1, count)
            try target.perform(.write, as: client) { session in
                try insertNumbers(
                    into: "accounts (aid, bid, abalance, filler)",
                    columns: "n, (n - 1) / \(PgbenchDataset.accountsPerScale) + 1, 0, :filler",
                    numbers: first...last,
                    session,
                    [.text(PgbenchDataset.filler)]
                )
            }
            try progress(Double(last) / Double(count))
        }
    }

    private static func insertNumbers(
        into table: String,
        columns: String,
        numbers: ClosedRange<Int>,
        _ session: any WorkloadSession,
        _ values: [WorkloadValue] = []
    ) throws {
        let sql = """
            WITH RECURSIVE numbers (n) AS (
                SELECT :first UNION ALL SELECT n + 1 FROM numbers WHERE n < :last)
            INSERT INTO \(table) SELECT \(columns) FROM numbers
            """
        let range: [WorkloadValue] = [
            .integer(Int64(numbers.lowerBound)), .integer(Int64(numbers.upperBound)),
        ]
        try session.run(sql, range + values)
    }
}
