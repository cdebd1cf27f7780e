/// Creates a dataset's tables and fills them.
public enum DatasetBuilder {
    /// A statement of the dataset that the database refused.
    public struct Failure: Error, CustomStringConvertible {
        /// The statement.
        public let sql: String
        /// What the database said.
        public let cause: any Error

        /// The statement and what the database said.
        public var description: String { "the dataset's '\(sql)' failed: \(cause)" }
    }

    /// Builds the dataset in an empty database.
    ///
    /// - Parameters:
    ///   - dataset: What to build.
    ///   - seed: The seed of the fields' random texts.
    ///   - target: The database.
    ///   - progress: Gets the share that is done, in 0…1, after each batch.
    /// - Throws: ``Failure``, what `target` threw, or what `progress` threw, which ends the work.
    public static func build(
        _ dataset: Dataset,
        seed: UInt64,
        in target: any WorkloadTarget,
        progress: (Double) throws -> Void = { _ in }
    ) throws {
        switch dataset {
        case .pgbench(let scale):
            try buildPgbench(scale: scale, in: target, progress: progress)
        case .ycsb(let records):
            try buildYCSB(records: records, seed: seed, in: target, progress: progress)
        case .sql(let statements):
            try run(statements, in: target, progress: progress)
        }
    }

    private static let client = WorkloadClientName("dataset")

    // MARK: pgbench

    /// Accounts inserted by one statement, in one transaction.
    private static let accountBatch = 20_000

    private static func buildPgbench(
        scale: Int,
        in target: any WorkloadTarget,
        progress: (Double) throws -> Void
    ) throws {
        try run(PgbenchDataset.schema, in: target) { _ in }
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

    /// Inserts one row for each number `n`, by one statement.
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

    // MARK: YCSB

    /// Records inserted by one statement: 550 values, under SQLite's old limit of 999.
    private static let recordsPerStatement = 50
    /// Records inserted in one transaction: about 5 MB.
    private static let recordsPerTransaction = 5000

    private static func buildYCSB(
        records: Int,
        seed: UInt64,
        in target: any WorkloadTarget,
        progress: (Double) throws -> Void
    ) throws {
        try run(YCSBDataset.schema, in: target) { _ in }
        var stream = RandomStream(seed: seed, stream: "dataset")
        let text = TextDistribution(length: YCSBDataset.fieldLength)
        let keys = hashedOrder(of: records)
        var done = 0
        while done < records {
            let end = min(done + recordsPerTransaction, records)
            try target.perform(.write, as: client) { session in
                for first in stride(from: done, to: end, by: recordsPerStatement) {
                    let batch = keys[first..<min(first + recordsPerStatement, end)]
                    var values: [WorkloadValue] = []
                    values.reserveCapacity(batch.count * (YCSBDataset.fieldCount + 1))
                    for key in batch {
                        values.append(.integer(key))
                        for _ in 0..<YCSBDataset.fieldCount {
                            values.append(.text(text.next(using: &stream)))
                        }
                    }
                    try session.run(insertRecords(batch.count), values)
                }
            }
            done = end
            try progress(Double(done) / Double(records))
        }
    }

    /// The keys 0..<count in the order of their hashes.
    static func hashedOrder(of count: Int) -> [Int64] {
        (0..<UInt64(count)).map { (key: Int64($0), hash: FNV1a.ycsbHash($0)) }
            .sorted { ($0.hash, $0.key) < ($1.hash, $1.key) }
            .map(\.key)
    }

    private static func insertRecords(_ count: Int) -> String {
        let row = "(?" + String(repeating: ", ?", count: YCSBDataset.fieldCount) + ")"
        let rows = Array(repeating: row, count: count).joined(separator: ", ")
        return "INSERT INTO usertable (\(YCSBDataset.columns)) VALUES \(rows)"
    }

    // MARK: SQL

    /// Runs the statements, those between two that want no transaction in one.
    private static func run(
        _ statements: [String],
        in target: any WorkloadTarget,
        progress: (Double) throws -> Void
    ) throws {
        var next = 0
        while next < statements.count {
            let isAlone = needsNoTransaction(statements[next])
            let rest = statements[next...]
            let end =
                isAlone ? next + 1 : rest.firstIndex(where: needsNoTransaction) ?? rest.endIndex
            let access: WorkloadAccess = isAlone ? .writeWithoutTransaction : .write
            try target.perform(access, as: client) { session in
                for sql in statements[next..<end] {
                    do {
                        try session.run(sql, [])
                    } catch {
                        throw Failure(sql: sql, cause: error)
                    }
                }
            }
            next = end
            try progress(Double(next) / Double(statements.count))
        }
    }

    /// Whether SQLite refuses or ignores the statement inside a transaction.
    private static func needsNoTransaction(_ sql: String) -> Bool {
        ["PRAGMA", "VACUUM", "ATTACH", "DETACH"].contains(StatementTemplate(sql: sql).verb)
    }
}
