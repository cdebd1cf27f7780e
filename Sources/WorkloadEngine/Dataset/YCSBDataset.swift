/// YCSB's table and operations (<https://github.com/brianfrankcooper/YCSB/wiki/Core-Workloads>).
///
/// The key is the record's number, 0 and up, as SQLite's `INTEGER PRIMARY KEY`, where YCSB has the
/// text `user` and the number's hash. The rows are inserted in the order of the hash, so that they
/// come to the tree in no order, as YCSB's `insertorder=hashed` has it.
enum YCSBDataset {
    static let fieldCount = 10
    static let fieldLength = 100

    private static let fields = (0..<fieldCount).map { "FIELD\($0)" }
    static let columns = (["YCSB_KEY"] + fields).joined(separator: ", ")

    static let schema = [
        "CREATE TABLE usertable (YCSB_KEY INTEGER PRIMARY KEY, "
            + fields.map { "\($0) TEXT" }.joined(separator: ", ") + ")"
    ]

    private static let read =
        "SELECT \(fields.joined(separator: ", ")) FROM usertable WHERE YCSB_KEY = :key"
    /// Writes one field.
    ///
    /// SQLite writes the whole record anyway, so choosing the field inside of the statement costs
    /// a few steps and keeps one statement where ten would be.
    private static let update =
        "UPDATE usertable SET "
        + fields.enumerated()
        .map { "\($1) = CASE :field WHEN \($0) THEN :value ELSE \($1) END" }
        .joined(separator: ", ") + " WHERE YCSB_KEY = :key"
    private static let scan = """
        SELECT \(columns) FROM usertable WHERE YCSB_KEY >= :key ORDER BY YCSB_KEY LIMIT :scan
        """

    /// Adds one record after the last one.
    static let insert =
        "INSERT INTO usertable (\(columns)) VALUES ((SELECT max(YCSB_KEY) + 1 FROM usertable)"
        + String(repeating: ", :value", count: fieldCount) + ")"

    static let transactions: [String: [String]] = [
        "ycsb-read": [read],
        "ycsb-update": [update],
        "ycsb-insert": [insert],
        "ycsb-scan": [scan],
        "ycsb-read-modify-write": [read, update],
    ]

    /// What a snapshot reads: an update of the first hundred records or an insert changes it.
    static let snapshotQuery = """
        SELECT (SELECT max(YCSB_KEY) FROM usertable), (SELECT group_concat(\
        \(fields.joined(separator: " || "))) FROM (SELECT * FROM usertable LIMIT 100))
        """

    static func variables(records: Int) -> [String: Variable] {
        [
            "key": Variable(
                distribution: .zipfian(theta: Generator.usualTheta, scramble: true),
                minimum: 0,
                maximum: Int64(records) - 1
            ),
            "field": Variable(
                distribution: .uniform,
                minimum: 0,
                maximum: Int64(fieldCount) - 1
            ),
            "value": Variable(
                distribution: .text(length: fieldLength),
                minimum: 0,
                maximum: 0
            ),
            "scan": Variable(distribution: .uniform, minimum: 1, maximum: 100),
        ]
    }
}
