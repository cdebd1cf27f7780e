import Scenarios
import Telemetry

/// A type that creates and fills a dataset's tables.
package enum DatasetBuilder {
    /// The error for a failed dataset statement.
    package struct Failure: Error, CustomStringConvertible {
        /// The statement.
        package let sql: String
        /// The database's error.
        package let cause: any Error
        /// The reason for the error, without the statement.
        package let reason: String

        /// The statement and the reason.
        package var description: String { "the dataset's statement '\(sql)' failed: \(reason)" }
    }

    /// The error for a dataset that is copied instead of built.
    package struct NotBuilt: Error, CustomStringConvertible {
        /// The explanation.
        package var description: String {
            "this dataset is an existing database, which is copied and cannot be built"
        }
    }

    /// Builds the dataset in an empty database.
    ///
    /// - Parameters:
    ///   - dataset: The dataset to build.
    ///   - seed: The seed of the random values.
    ///   - target: The database.
    ///   - progress: A function that receives the completed fraction, from 0 to 1, after each
    ///     batch. An error ends the build.
    /// - Throws: ``Failure``, ``NotBuilt``, or an error that `target` or `progress` throws.
    package static func build(
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
        case .sysbench(let rows):
            try buildSysbench(rows: rows, seed: seed, in: target, progress: progress)
        case .schema(let schema):
            try build(schema, seed: seed, in: target, progress: progress)
        case .file:
            throw NotBuilt()
        }
    }

    /// Creates the dataset's tables without rows, to check statements against the tables.
    ///
    /// Custom statements run even if they insert rows.
    ///
    /// - Throws: ``Failure``, ``NotBuilt``, or an error that `target` throws.
    package static func buildSchema(of dataset: Dataset, in target: any WorkloadTarget) throws {
        switch dataset {
        case .pgbench: try run(PgbenchDataset.schema, in: target)
        case .ycsb: try run(YCSBDataset.schema, in: target)
        case .sysbench: try run(SysbenchDataset.schema + [SysbenchDataset.index], in: target)
        case .schema(let schema): try run(schema.statements + schema.finally, in: target)
        case .file: throw NotBuilt()
        }
    }

    static let client = WorkloadClientName("dataset")

    /// Runs statements in order.
    ///
    /// Consecutive statements that can run inside a transaction share one transaction.
    static func run(
        _ statements: [String],
        in target: any WorkloadTarget,
        progress: (Double) throws -> Void = { _ in }
    ) throws {
        var next = 0
        while next < statements.count {
            let isAlone = mustRunOutsideTransaction(statements[next])
            let rest = statements[next...]
            let end =
                isAlone
                ? next + 1 : rest.firstIndex(where: mustRunOutsideTransaction) ?? rest.endIndex
            let access: WorkloadAccess = isAlone ? .writeWithoutTransaction : .write
            var failure: (sql: String, cause: any Error)?
            do {
                try target.perform(access, as: client) { session in
                    for sql in statements[next..<end] {
                        do {
                            try session.run(sql, [])
                        } catch {
                            failure = (sql, error)
                            throw error
                        }
                    }
                }
            } catch {
                guard let (sql, cause) = failure else { throw error }
                // The reason may require another access.
                throw Failure(sql: sql, cause: cause, reason: target.reason(of: cause))
            }
            next = end
            try progress(Double(next) / Double(statements.count))
        }
    }

    /// Returns whether SQLite rejects or ignores the statement inside a transaction.
    private static func mustRunOutsideTransaction(_ sql: String) -> Bool {
        ["PRAGMA", "VACUUM", "ATTACH", "DETACH"].contains(StatementTemplate(sql: sql).verb)
    }
}

extension DatasetBuilder {
    private static let rowsPerTransaction = 5000

    static func build(
        _ schema: SchemaDataset,
        seed: UInt64,
        in target: any WorkloadTarget,
        progress: (Double) throws -> Void
    ) throws {
        let rows = schema.tables.reduce(0) { $0 + schema.rows(of: $1) }
        // The duration of the statements is unknown, so the progress counts each list of statements
        // as one batch of rows.
        let parts = [
            schema.statements.isEmpty ? 0 : rowsPerTransaction, rows,
            schema.finally.isEmpty ? 0 : rowsPerTransaction,
        ].map(Double.init)
        let total = parts.reduce(0, +)
        try run(schema.statements, in: target) { try progress($0 * parts[0] / total) }
        var done = parts[0]
        for table in schema.tables {
            try fill(table, rows: schema.rows(of: table), seed: seed, in: target) { count in
                done += Double(count)
                try progress(min(done / total, 1))
            }
        }
        try run(schema.finally, in: target) {
            try progress((parts[0] + parts[1] + $0 * parts[2]) / total)
        }
    }

    static func buildSysbench(
        rows: Int,
        seed: UInt64,
        in target: any WorkloadTarget,
        progress: (Double) throws -> Void
    ) throws {
        let variables = SysbenchDataset.variables(rows: rows)
        var columns = [
            SchemaDataset.Column(
                name: "id",
                values: Variable(distribution: .sequential, minimum: 1, maximum: Variable.largest)
            )
        ]
        columns += ["k", "c", "pad"].compactMap { name in
            variables[name].map { SchemaDataset.Column(name: name, values: $0) }
        }
        let schema = SchemaDataset(
            statements: SysbenchDataset.schema,
            tables: [.init(name: "sbtest", count: rows, columns: columns)],
            finally: [SysbenchDataset.index]
        )
        try build(schema, seed: seed, in: target, progress: progress)
    }

    /// Inserts a table's rows, with one statement per row and many rows per transaction.
    private static func fill(
        _ table: SchemaDataset.Table,
        rows: Int,
        seed: UInt64,
        in target: any WorkloadTarget,
        progress: (_ rows: Int) throws -> Void
    ) throws {
        // Use a separate stream per table, so that adding a table does not change the values of
        // other tables.
        var stream = RandomStream(seed: seed, stream: "dataset/\(table.name)")
        var generators = table.columns.map { $0.values.makeGenerator() }
        let sql = SchemaDataset.insertRow(of: table)
        for first in stride(from: 0, to: rows, by: rowsPerTransaction) {
            let count = min(rowsPerTransaction, rows - first)
            do {
                try target.perform(.write, as: client) { session in
                    for _ in 0..<count {
                        let values = generators.indices.map {
                            generators[$0].next(using: &stream)
                        }
                        try session.run(sql, values)
                    }
                }
            } catch {
                throw Failure(sql: sql, cause: error, reason: target.reason(of: error))
            }
            try progress(count)
        }
    }

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
                    values: [.text(PgbenchDataset.filler)]
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
        values: [WorkloadValue] = []
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

    /// The number of records that one statement inserts.
    ///
    /// These records have 550 values. Older SQLite versions limit the number of a statement's
    /// parameters to 999 by default (https://sqlite.org/limits.html).
    private static let recordsPerStatement = 50
    /// The number of records in one transaction, about 5 MB.
    private static let recordsPerTransaction = 5000

    static func buildYCSB(
        records: Int,
        seed: UInt64,
        in target: any WorkloadTarget,
        progress: (Double) throws -> Void
    ) throws {
        try run(YCSBDataset.schema, in: target)
        var stream = RandomStream(seed: seed, stream: "dataset")
        var text = TextDistribution(length: YCSBDataset.fieldLength)
        for first in stride(from: 0, to: records, by: recordsPerTransaction) {
            let end = min(first + recordsPerTransaction, records)
            try target.perform(.write, as: client) { session in
                for number in stride(from: first, to: end, by: recordsPerStatement) {
                    let batch = number..<min(number + recordsPerStatement, end)
                    var values: [WorkloadValue] = []
                    values.reserveCapacity(batch.count * (YCSBDataset.fieldCount + 1))
                    for record in batch {
                        values.append(.text(YCSBDataset.key(Int64(record))))
                        for _ in 0..<YCSBDataset.fieldCount {
                            values.append(.text(text.next(using: &stream)))
                        }
                    }
                    try session.run(insertRecords(batch.count), values)
                }
            }
            try progress(Double(end) / Double(records))
        }
    }

    private static func insertRecords(_ count: Int) -> String {
        let row = "(?" + String(repeating: ", ?", count: YCSBDataset.fieldCount) + ")"
        let rows = Array(repeating: row, count: count).joined(separator: ", ")
        return "INSERT INTO usertable (\(YCSBDataset.columns)) VALUES \(rows)"
    }
}

extension YCSBDataset {
    fileprivate static func key(_ number: Int64) -> String {
        keyPrefix + String(FNV1a.ycsbHash(UInt64(bitPattern: number)))
    }
}
