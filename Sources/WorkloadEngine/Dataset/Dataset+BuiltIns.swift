extension Dataset {
    /// How many YCSB records a unit of scale has.
    static let ycsbRecordsPerScale = 1000

    /// The scales that can be built; none for a database that exists.
    ///
    /// pgbench's largest has some 10¹⁰ accounts, YCSB's 10⁷ records, sysbench's 10⁹ rows.
    var scales: ClosedRange<Int>? {
        switch self {
        case .pgbench, .sysbench: 1...100_000
        case .ycsb: 1...10_000
        case .schema(let schema): schema.tables.isEmpty ? nil : 1...100_000
        case .file: nil
        }
    }

    /// The dataset with this scale, which must be one of ``scales``.
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

    /// One of each preset, for messages about the others.
    static let presets: [Dataset] = [
        .pgbench(scale: 1), .ycsb(records: ycsbRecordsPerScale),
        .sysbench(rows: SysbenchDataset.rowsPerScale),
    ]

    /// The variables that statements can use without declaring them.
    ///
    /// pgbench: `aid`, `bid`, `tid`, `delta`. YCSB: `key`, `new_key`, `field`, `value`, `scan`.
    /// sysbench: `id`, `point1` and so on. A schema of the user's own: `notes_id` for a column `id`
    /// of the table `notes` that is numbered, over the numbers that are there.
    public var variables: [String: Variable] {
        switch self {
        case .pgbench(let scale): PgbenchDataset.variables(scale: scale)
        case .ycsb(let records): YCSBDataset.variables(records: records)
        case .sysbench(let rows): SysbenchDataset.variables(rows: rows)
        case .schema(let schema): schema.variables
        case .file: [:]
        }
    }

    /// The transactions that `use:` finds without their being declared, by name.
    public var transactions: [String: [String]] {
        switch self {
        case .pgbench: PgbenchDataset.transactions
        case .ycsb: YCSBDataset.transactions
        case .sysbench: SysbenchDataset.transactions
        case .schema, .file: [:]
        }
    }

    /// What an import runs for each row when the scenario does not say.
    public var importStatement: String? {
        switch self {
        case .pgbench: PgbenchDataset.importStatement
        case .ycsb: YCSBDataset.insert
        case .sysbench: SysbenchDataset.importStatement
        case .schema, .file: nil
        }
    }

    /// What a snapshot reads when the scenario does not say.
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
