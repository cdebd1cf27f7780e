import Telemetry

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
        let sql = insertRow(of: table)
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

    /// Returns the statement that inserts one row.
    static func insertRow(of table: SchemaDataset.Table) -> String {
        let name = quoted(table.name)
        if table.columns.isEmpty { return "INSERT INTO \(name) DEFAULT VALUES" }
        let columns = table.columns.map { quoted($0.name) }.joined(separator: ", ")
        let placeholders = table.columns.map { _ in "?" }.joined(separator: ", ")
        return "INSERT INTO \(name) (\(columns)) VALUES (\(placeholders))"
    }

    private static func quoted(_ name: String) -> String {
        name.quoted(by: "\"")
    }
}
