extension Dataset {
    static let ycsbRecordsPerScale = 1000

    /// The supported scales, or `nil` for an existing database.
    ///
    /// The largest scales result in 10¹⁰ pgbench accounts, 10⁷ YCSB records, or 10⁹ sysbench rows.
    var scales: ClosedRange<Int>? {
        switch self {
        case .pgbench, .sysbench: 1...100_000
        case .ycsb: 1...10_000
        case .schema(let schema): schema.tables.isEmpty ? nil : 1...100_000
        case .file: nil
        }
    }

    func with(scale: Int) -> Dataset {
        switch self {
        case .pgbench: return .pgbench(scale: scale)
        case .ycsb: return .ycsb(records: scale * Self.ycsbRecordsPerScale)
        case .sysbench: return .sysbench(rows: scale * SysbenchDataset.rowsPerScale)
        case .schema(var schema):
            schema.scale = scale
            return .schema(schema)
        case .file: return self
        }
    }

    static let presets: [Dataset] = [
        .pgbench(scale: 1), .ycsb(records: ycsbRecordsPerScale),
        .sysbench(rows: SysbenchDataset.rowsPerScale),
    ]

    /// The predeclared variables that statements can use.
    ///
    /// pgbench has `aid`, `bid`, `tid`, and `delta`. YCSB has `key`, `new_key`, `field`, `value`,
    /// and `scan`. sysbench has `id`, `point1`, and so on. A custom schema has a variable for each
    /// numbered column, such as `notes_id` for column `id` of table `notes`. Such a variable draws
    /// from the column's existing numbers.
    public var variables: [String: Variable] {
        switch self {
        case .pgbench(let scale): PgbenchDataset.variables(scale: scale)
        case .ycsb(let records): YCSBDataset.variables(records: records)
        case .sysbench(let rows): SysbenchDataset.variables(rows: rows)
        case .schema(let schema): schema.variables
        case .file: [:]
        }
    }

    /// The predeclared transactions for `use:`, keyed by name.
    public var transactions: [String: [String]] {
        switch self {
        case .pgbench: PgbenchDataset.transactions
        case .ycsb: YCSBDataset.transactions
        case .sysbench: SysbenchDataset.transactions
        case .schema, .file: [:]
        }
    }

    /// The statement that an import runs for each row by default.
    public var importStatement: String? {
        switch self {
        case .pgbench: PgbenchDataset.importStatement
        case .ycsb: YCSBDataset.insert
        case .sysbench: SysbenchDataset.importStatement
        case .schema, .file: nil
        }
    }

    /// The query that a snapshot runs by default.
    public var snapshotQuery: String? {
        switch self {
        case .pgbench: PgbenchDataset.snapshotQuery
        case .ycsb: YCSBDataset.snapshotQuery
        case .sysbench: SysbenchDataset.snapshotQuery
        case .schema, .file: nil
        }
    }

    var presetName: String {
        switch self {
        case .pgbench: "pgbench"
        case .ycsb: "ycsb"
        case .sysbench: "sysbench"
        case .schema: "schema"
        case .file: "file"
        }
    }
}
