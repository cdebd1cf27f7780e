extension Dataset {
    /// How many YCSB records a unit of scale has.
    static let ycsbRecordsPerScale = 1000

    /// The scales that can be built; none for a dataset made of SQL.
    ///
    /// pgbench's largest has some 10¹⁰ accounts, YCSB's 10⁷ records, whose order is kept in memory.
    var scales: ClosedRange<Int>? {
        switch self {
        case .pgbench: 1...100_000
        case .ycsb: 1...10_000
        case .sql: nil
        }
    }

    /// The dataset with this scale, which must be one of ``scales``.
    func with(scale: Int) -> Dataset {
        switch self {
        case .pgbench: .pgbench(scale: scale)
        case .ycsb: .ycsb(records: scale * Self.ycsbRecordsPerScale)
        case .sql: self
        }
    }

    /// One of each preset, for messages about the others.
    static let presets: [Dataset] = [.pgbench(scale: 1), .ycsb(records: 1000)]

    /// The variables that statements can use without declaring them.
    ///
    /// pgbench: `aid`, `bid`, `tid`, `delta`. YCSB: `key`, `field`, `value`, `scan`.
    public var variables: [String: Variable] {
        switch self {
        case .pgbench(let scale): PgbenchDataset.variables(scale: scale)
        case .ycsb(let records): YCSBDataset.variables(records: records)
        case .sql: [:]
        }
    }

    /// The transactions that `use:` finds without their being declared, by name.
    public var transactions: [String: [String]] {
        switch self {
        case .pgbench: PgbenchDataset.transactions
        case .ycsb: YCSBDataset.transactions
        case .sql: [:]
        }
    }

    /// What an import runs for each row when the scenario does not say.
    public var importStatement: String? {
        switch self {
        case .pgbench: PgbenchDataset.importStatement
        case .ycsb: YCSBDataset.insert
        case .sql: nil
        }
    }

    /// What a snapshot reads when the scenario does not say.
    public var snapshotQuery: String? {
        switch self {
        case .pgbench: PgbenchDataset.snapshotQuery
        case .ycsb: YCSBDataset.snapshotQuery
        case .sql: nil
        }
    }

    var presetName: String {
        switch self {
        case .pgbench: "pgbench"
        case .ycsb: "ycsb"
        case .sql: "sql"
        }
    }
}
