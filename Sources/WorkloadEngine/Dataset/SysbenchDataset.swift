/// sysbench's OLTP transactions and its table `sbtest`.
///
/// The source is `src/lua/oltp_common.lua` (<https://github.com/akopytov/sysbench>). The ids are
/// drawn uniformly, as with sysbench's `--rand-type=uniform`.
enum SysbenchDataset {
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

    static let schema = [
        """
        CREATE TABLE sbtest (
            id INTEGER PRIMARY KEY, k INTEGER DEFAULT 0 NOT NULL,
            c CHAR(120) DEFAULT '' NOT NULL, pad CHAR(60) DEFAULT '' NOT NULL)
        """
    ]
    /// The index, created after the rows as in sysbench.
    static let index = "CREATE INDEX k_1 ON sbtest (k)"

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

    static func variables(rows: Int) -> [String: Variable] {
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
