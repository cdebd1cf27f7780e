import SQLiteEngine

/// The rows that a test has written.
///
/// The `acknowledged` transactions are in the database after any fault.
package struct WrittenRows: Sendable {
    /// The number of rows before the test.
    package static let initialCount = 20

    /// The numbers of the transactions whose commit has been acknowledged.
    package private(set) var acknowledged: Set<Int> = []
    private(set) var attemptCount = 0
    /// The number of samples that a recorder has reported as written, or `nil` if it has not
    /// started.
    var recordedSamples: Int?

    package init() {}

    /// Writes two rows in a transaction.
    package mutating func write(_ writer: any DatabaseWriter) throws {
        attemptCount += 1
        let number = attemptCount
        try writer.write { db in
            for _ in 0..<2 {
                try db.execute(
                    sql: "INSERT INTO t(number, text) VALUES (?, hex(randomblob(300)))",
                    arguments: [number]
                )
            }
        }
        acknowledged.insert(number)
    }

    /// Creates the table with the initial rows.
    package static func create(in writer: any DatabaseWriter) throws {
        try writer.write { db in
            try db.execute(sql: "CREATE TABLE t(number INTEGER, text TEXT)")
            for _ in 0..<initialCount {
                try db.execute(sql: "INSERT INTO t VALUES (0, hex(randomblob(300)))")
            }
        }
    }

    /// Returns a description of a contradiction between a database and the written rows, or `nil`.
    package func contradiction(in db: Database) throws -> String? {
        let check = try String.fetchAll(db, sql: "PRAGMA integrity_check")
        guard check == ["ok"] else { return "integrity_check: \(check.prefix(3))" }
        var counts: [Int: Int] = [:]
        let rows = try Row.fetchAll(db, sql: "SELECT number, count(*) FROM t GROUP BY number")
        for row in rows { counts[row[0]] = row[1] }
        guard counts[0] == Self.initialCount else { return "\(counts[0] ?? 0) initial rows" }
        for number in 1..<(attemptCount + 1) {
            let count = counts[number] ?? 0
            if acknowledged.contains(number), count != 2 {
                return "transaction \(number) was acknowledged and has \(count) of 2 rows"
            }
            if count != 0, count != 2 { return "transaction \(number) has \(count) of 2 rows" }
        }
        return nil
    }
}
