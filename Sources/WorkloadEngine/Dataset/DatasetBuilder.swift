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

    /// A dataset that is copied and cannot be built.
    public struct NotBuilt: Error, CustomStringConvertible {
        /// What to do instead.
        public var description: String { "a database that exists is copied, not built" }
    }

    /// Builds the dataset in an empty database.
    ///
    /// - Parameters:
    ///   - dataset: What to build.
    ///   - seed: The seed of the random values.
    ///   - target: The database.
    ///   - progress: Gets the share that is done, in 0…1, after each batch.
    /// - Throws: ``Failure``, ``NotBuilt``, what `target` threw, or what `progress` threw, which
    ///   ends the work.
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
        case .sysbench(let rows):
            try buildSysbench(rows: rows, seed: seed, in: target, progress: progress)
        case .schema(let schema):
            try build(schema, seed: seed, in: target, progress: progress)
        case .file:
            throw NotBuilt()
        }
    }

    /// Creates the dataset's tables, and leaves them empty, for a look at statements.
    ///
    /// Statements of the user's own that fill tables are run.
    ///
    /// - Throws: ``Failure``, ``NotBuilt``, or what `target` threw.
    public static func buildSchema(of dataset: Dataset, in target: any WorkloadTarget) throws {
        switch dataset {
        case .pgbench: try run(PgbenchDataset.schema, in: target)
        case .ycsb: try run(YCSBDataset.schema, in: target)
        case .sysbench: try run(SysbenchDataset.schema + [SysbenchDataset.index], in: target)
        case .schema(let schema): try run(schema.statements + schema.finally, in: target)
        case .file: throw NotBuilt()
        }
    }

    static let client = WorkloadClientName("dataset")

    /// Runs the statements, those between two that want no transaction in one.
    static func run(
        _ statements: [String],
        in target: any WorkloadTarget,
        progress: (Double) throws -> Void = { _ in }
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
