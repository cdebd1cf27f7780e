/// YCSB's table and operations (<https://github.com/brianfrankcooper/YCSB/wiki/Core-Workloads>).
///
/// A key is `user` followed by the hash of the record's number. Record numbers start at 0. Records
/// are inserted in numerical order and therefore in random key order, as with YCSB's
/// `insertorder=hashed`. The table matches YCSB's JDBC binding.
enum YCSBDataset {
    static let fieldCount = 10
    static let fieldLength = 100
    static let keyPrefix = "user"

    private static let fields = (0..<fieldCount).map { "FIELD\($0)" }
    static let columns = (["YCSB_KEY"] + fields).joined(separator: ", ")

    static let schema = [
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

    static func key(_ number: Int64) -> String {
        keyPrefix + String(FNV1a.ycsbHash(UInt64(bitPattern: number)))
    }

    static func variables(records: Int) -> [String: Variable] {
        [
            "key": Variable(
                distribution: .zipfian(theta: Generator.usualTheta, scramble: true),
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
