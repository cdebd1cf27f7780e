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

    static let filler = String(repeating: " ", count: 84)

    static let schema = [
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
