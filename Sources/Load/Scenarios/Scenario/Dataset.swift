/// The initial data of every arm.
public enum Dataset: Sendable, Equatable {
    /// pgbench's four tables, with 100,000 accounts per unit of scale.
    case pgbench(scale: Int)
    /// YCSB's `usertable` with the given number of records.
    case ycsb(records: Int)
    /// sysbench's `sbtest` with the given number of rows.
    case sysbench(rows: Int)
    /// Custom tables, filled with random values.
    case schema(SchemaDataset)
    /// A copy of the existing database at a path.
    case file(String)

    /// Creates a dataset from statements that create and fill the tables.
    public static func sql(_ statements: [String]) -> Dataset {
        .schema(SchemaDataset(statements: statements))
    }
}

/// Custom tables and the values that fill them.
public struct SchemaDataset: Sendable, Equatable {
    /// The statements that create the tables, which run before the tables are filled.
    public var statements: [String]
    /// The tables to fill, in order.
    public var tables: [Table]
    /// The statements that run after the tables are filled, such as `CREATE INDEX`.
    public var finally: [String]
    /// The factor by which each table's row count is multiplied.
    public var scale: Int

    /// A table and its rows.
    public struct Table: Sendable, Equatable {
        /// The table's name.
        public var name: String
        /// The number of rows per unit of scale.
        public var count: Int
        /// The columns to fill, in order.
        public var columns: [Column]

        /// Creates a table.
        public init(name: String, count: Int, columns: [Column]) {
            self.name = name
            self.count = count
            self.columns = columns
        }
    }

    /// A column and the source of its values.
    public struct Column: Sendable, Equatable {
        /// The column's name.
        public var name: String
        /// The variable that draws the column's values.
        public var values: Variable

        /// Creates a column.
        public init(name: String, values: Variable) {
            self.name = name
            self.values = values
        }
    }

    /// Creates a dataset.
    public init(
        statements: [String],
        tables: [Table] = [],
        finally: [String] = [],
        scale: Int = 1
    ) {
        self.statements = statements
        self.tables = tables
        self.finally = finally
        self.scale = scale
    }
}

extension Scenario {
    /// Returns an arm's initial data, which is the arm's file or the scenario's dataset.
    public func dataset(of arm: Arm) -> Dataset {
        arm.file.map(Dataset.file) ?? dataset
    }
}

/// sysbench's OLTP transactions and its table `sbtest`.
///
/// The source is `src/lua/oltp_common.lua` (<https://github.com/akopytov/sysbench>). The ids are
/// drawn uniformly, as with sysbench's `--rand-type=uniform`.
package enum SysbenchDataset {
    /// The number of rows per unit of scale, which is sysbench's default `--table-size`.
    static let rowsPerScale = 10_000
    /// The number of ids in a range, which is sysbench's default `--range-size`.
    static let rangeSize = 100
    /// The number of point selects in a transaction, which is sysbench's default `--point-selects`.
    static let pointSelects = 10

    /// Ten groups of eleven digits, with 119 characters in total.
    static let contentTemplate = groups(10)
    /// Five groups of eleven digits, with 59 characters in total.
    static let padTemplate = groups(5)

    private static func groups(_ count: Int) -> String {
        Array(repeating: String(repeating: "#", count: 11), count: count).joined(separator: "-")
    }

    package static let schema = [
        """
        CREATE TABLE sbtest (
            id INTEGER PRIMARY KEY, k INTEGER DEFAULT 0 NOT NULL,
            c CHAR(120) DEFAULT '' NOT NULL, pad CHAR(60) DEFAULT '' NOT NULL)
        """
    ]
    /// The index, created after the rows as in sysbench.
    package static let index = "CREATE INDEX k_1 ON sbtest (k)"

    private static let points = (1...pointSelects).map {
        "SELECT c FROM sbtest WHERE id = :point\($0)"
    }
    private static let ranges = [
        "SELECT c FROM sbtest WHERE \(range(1))",
        "SELECT sum(k) FROM sbtest WHERE \(range(2))",
        "SELECT c FROM sbtest WHERE \(range(3)) ORDER BY c",
        "SELECT DISTINCT c FROM sbtest WHERE \(range(4)) ORDER BY c",
    ]
    private static let writes = [
        "UPDATE sbtest SET k = k + 1 WHERE id = :update1",
        "UPDATE sbtest SET c = :c WHERE id = :update2",
        "DELETE FROM sbtest WHERE id = :delete",
        "INSERT INTO sbtest (id, k, c, pad) VALUES (:delete, :k, :c, :pad)",
    ]

    private static func range(_ number: Int) -> String {
        "id BETWEEN :range\(number) AND :range\(number) + \(rangeSize - 1)"
    }

    /// The transactions for `use:`, keyed by the names of sysbench's scripts without `oltp_`.
    static let transactions: [String: [String]] = [
        "point-select": ["SELECT c FROM sbtest WHERE id = :id"],
        "read-only": points + ranges,
        "write-only": writes,
        "read-write": points + ranges + writes,
    ]

    static let importStatement = """
        INSERT INTO sbtest (id, k, c, pad) \
        VALUES ((SELECT max(id) + 1 FROM sbtest), :k, :c, :pad)
        """

    /// The query that a snapshot runs.
    ///
    /// Every insert and every write to the first hundred rows changes the result.
    static let snapshotQuery = """
        SELECT (SELECT max(id) FROM sbtest), (SELECT group_concat(k || c || pad) FROM \
        (SELECT * FROM sbtest ORDER BY id LIMIT 100))
        """

    package static func variables(rows: Int) -> [String: Variable] {
        let id = Variable(distribution: .uniform, minimum: 1, maximum: Int64(rows))
        var variables: [String: Variable] = [
            "id": id, "update1": id, "update2": id, "delete": id, "k": id,
            "c": Variable(distribution: .template(contentTemplate)),
            "pad": Variable(distribution: .template(padTemplate)),
        ]
        for number in 1...pointSelects { variables["point\(number)"] = id }
        for number in 1...ranges.count { variables["range\(number)"] = id }
        return variables
    }
}

/// pgbench's tables and transactions (<https://www.postgresql.org/docs/current/pgbench.html>).
///
/// The table names omit the prefix `pgbench_`. As in PostgreSQL, the fillers of the accounts
/// contain spaces, and the other fillers are NULL. The spaces are explicit, because SQLite does not
/// pad `char(84)`.
package enum PgbenchDataset {
    /// The number of accounts per unit of scale.
    package static let accountsPerScale = 100_000
    /// The number of tellers per unit of scale.
    package static let tellersPerScale = 10

    package static let filler = String(repeating: " ", count: 84)

    package static let schema = [
        """
        CREATE TABLE branches (
            bid INTEGER PRIMARY KEY, bbalance INTEGER NOT NULL, filler CHAR(88))
        """,
        """
        CREATE TABLE tellers (
            tid INTEGER PRIMARY KEY, bid INTEGER, tbalance INTEGER NOT NULL, filler CHAR(84))
        """,
        """
        CREATE TABLE accounts (
            aid INTEGER PRIMARY KEY, bid INTEGER, abalance INTEGER NOT NULL, filler CHAR(84))
        """,
        """
        CREATE TABLE history (
            tid INTEGER, bid INTEGER, aid INTEGER, delta INTEGER, mtime TIMESTAMP, filler CHAR(22))
        """,
    ]

    private static let updateAccount =
        "UPDATE accounts SET abalance = abalance + :delta WHERE aid = :aid"
    private static let selectBalance = "SELECT abalance FROM accounts WHERE aid = :aid"
    private static let insertHistory = """
        INSERT INTO history (tid, bid, aid, delta, mtime) \
        VALUES (:tid, :bid, :aid, :delta, CURRENT_TIMESTAMP)
        """

    static let transactions: [String: [String]] = [
        "tpcb": [
            updateAccount,
            selectBalance,
            "UPDATE tellers SET tbalance = tbalance + :delta WHERE tid = :tid",
            "UPDATE branches SET bbalance = bbalance + :delta WHERE bid = :bid",
            insertHistory,
        ],
        "simple-update": [updateAccount, selectBalance, insertHistory],
        "select-only": [selectBalance],
    ]

    /// The statement that an import runs for each row.
    ///
    /// The statement inserts a delta of 0 into the history, which keeps the four sums equal.
    static let importStatement = """
        INSERT INTO history (tid, bid, aid, delta, mtime) \
        VALUES (:tid, :bid, :aid, 0, CURRENT_TIMESTAMP)
        """

    /// The query that a snapshot runs.
    ///
    /// Every payment and every import changes the result.
    static let snapshotQuery =
        "SELECT (SELECT sum(tbalance) FROM tellers), (SELECT max(rowid) FROM history)"

    static func variables(scale: Int) -> [String: Variable] {
        let scale = Int64(scale)
        func uniform(_ range: ClosedRange<Int64>) -> Variable {
            Variable(distribution: .uniform, minimum: range.lowerBound, maximum: range.upperBound)
        }
        return [
            "aid": uniform(1...scale * Int64(accountsPerScale)),
            "bid": uniform(1...scale),
            "tid": uniform(1...scale * Int64(tellersPerScale)),
            "delta": uniform(-5000...5000),
        ]
    }
}

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

extension SchemaDataset {
    /// The uniform variables for the numbered columns, keyed by names such as `table_column`.
    var variables: [String: Variable] {
        var variables: [String: Variable] = [:]
        for table in tables {
            for column in table.columns where column.isNumbered {
                let first = column.values.minimum
                variables["\(table.name)_\(column.name)"] = Variable(
                    distribution: .uniform,
                    minimum: first,
                    maximum: min(first + Int64(rows(of: table)) - 1, column.values.maximum)
                )
            }
        }
        return variables
    }

    package func rows(of table: Table) -> Int { table.count * scale }
}

extension SchemaDataset.Column {
    /// Whether the values are consecutive integers, neither hashed nor converted to text.
    var isNumbered: Bool {
        values.distribution == .sequential && !values.isHashed && values.prefix == nil
            && values.nulls == 0
    }
}

/// YCSB's table and operations (<https://github.com/brianfrankcooper/YCSB/wiki/Core-Workloads>).
///
/// A key is `user` followed by the hash of the record's number. Record numbers start at 0. Records
/// are inserted in numerical order and therefore in random key order, as with YCSB's
/// `insertorder=hashed`. The table matches YCSB's JDBC binding.
package enum YCSBDataset {
    package static let fieldCount = 10
    package static let fieldLength = 100
    package static let keyPrefix = "user"

    private static let fields = (0..<fieldCount).map { "FIELD\($0)" }
    package static let columns = (["YCSB_KEY"] + fields).joined(separator: ", ")

    package static let schema = [
        "CREATE TABLE usertable (YCSB_KEY VARCHAR(255) PRIMARY KEY, "
            + fields.map { "\($0) TEXT" }.joined(separator: ", ") + ")"
    ]

    private static let read =
        "SELECT \(fields.joined(separator: ", ")) FROM usertable WHERE YCSB_KEY = :key"
    /// A statement that writes one field.
    ///
    /// SQLite always writes the whole record, so one statement with a `CASE` for each field costs
    /// hardly more than a separate statement for each field.
    private static let update =
        "UPDATE usertable SET "
        + fields.enumerated()
        .map { "\($1) = CASE :field WHEN \($0) THEN :value ELSE \($1) END" }
        .joined(separator: ", ") + " WHERE YCSB_KEY = :key"
    private static let scan = """
        SELECT \(columns) FROM usertable WHERE YCSB_KEY >= :key ORDER BY YCSB_KEY LIMIT :scan
        """

    static let insert =
        "INSERT INTO usertable (\(columns)) VALUES (:new_key"
        + String(repeating: ", :value", count: fieldCount) + ")"

    static let transactions: [String: [String]] = [
        "ycsb-read": [read],
        "ycsb-update": [update],
        "ycsb-insert": [insert],
        "ycsb-scan": [scan],
        "ycsb-read-modify-write": [read, update],
    ]

    /// The query that a snapshot runs.
    ///
    /// The result changes with every insert, and with every update of one of the first 100 records.
    static let snapshotQuery = """
        SELECT (SELECT max(rowid) FROM usertable), (SELECT group_concat(\
        \(fields.joined(separator: " || "))) FROM \
        (SELECT * FROM usertable ORDER BY rowid LIMIT 100))
        """

    static func variables(records: Int) -> [String: Variable] {
        [
            "key": Variable(
                distribution: .zipfian(theta: Variable.usualTheta, scramble: true),
                minimum: 0,
                maximum: Int64(records) - 1,
                isHashed: true,
                prefix: keyPrefix
            ),
            "new_key": Variable(
                distribution: .sequential,
                minimum: Int64(records),
                maximum: Variable.largest,
                isHashed: true,
                prefix: keyPrefix
            ),
            "field": Variable(
                distribution: .uniform,
                minimum: 0,
                maximum: Int64(fieldCount) - 1
            ),
            "value": Variable(distribution: .text(length: .fixed(fieldLength))),
            "scan": Variable(distribution: .uniform, minimum: 1, maximum: 100),
        ]
    }
}

extension SchemaDataset {
    /// Returns the statement that inserts one row.
    package static func insertRow(of table: SchemaDataset.Table) -> String {
        let name = table.name.quoted(by: "\"")
        if table.columns.isEmpty { return "INSERT INTO \(name) DEFAULT VALUES" }
        let columns = table.columns.map { $0.name.quoted(by: "\"") }.joined(separator: ", ")
        let placeholders = table.columns.map { _ in "?" }.joined(separator: ", ")
        return "INSERT INTO \(name) (\(columns)) VALUES (\(placeholders))"
    }
}
