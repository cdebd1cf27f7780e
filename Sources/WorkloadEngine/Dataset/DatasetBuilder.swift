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
