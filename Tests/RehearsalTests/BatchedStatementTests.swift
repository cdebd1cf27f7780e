import CSQLite
import Testing

@testable import Rehearsal

struct BatchedStatementTests {
    private func table(
        _ name: String,
        key: String? = "id",
        hasRowIDs: Bool = true,
        columns: [String] = ["id", "a", "b"],
        hasTriggers: Bool = false,
        isOrdinary: Bool = true
    ) -> (String, TableFacts) {
        (
            name,
            TableFacts(
                name: name,
                key: key,
                hasRowIDs: hasRowIDs,
                columns: columns,
                hasTriggers: hasTriggers,
                isOrdinary: isOrdinary
            )
        )
    }

    private var tables: [String: TableFacts] {
        Dictionary(uniqueKeysWithValues: [
            table("t"), table("other"), table("new"), table("watched", hasTriggers: true),
            table("keyed", hasRowIDs: false), table("seen", isOrdinary: false),
            table("masked", key: nil, columns: ["rowid", "a"]),
        ])
    }

    private func batched(_ sql: String) throws -> BatchedStatement {
        try BatchedStatement(.init(sql: sql, line: 1), tables: tables)
    }

    @Test(arguments: [
        "UPDATE t SET a = 1",
        "UPDATE t SET a = b + 1, b = (SELECT max(a) FROM other WHERE other.id = t.id) WHERE a > 2 -- c",
        "UPDATE main.t SET (a, b) = (1, 2) WHERE a IS NULL",
        "DELETE FROM t",
        "DELETE FROM t WHERE a < 3 OR b IN (SELECT id FROM other) /* c */",
        "INSERT INTO new SELECT * FROM t",
        "INSERT INTO new (id, a) SELECT id, upper(a) FROM t AS x WHERE x.a > 1 OR b",
        "INSERT INTO new (id, a) SELECT id, a FROM t x",
    ])
    func theBatchesOfAStatementHaveItsEffect(sql: String) throws {
        let batched = try batched(sql)
        #expect(try rows(after: [sql], sizes: []) == rows(after: [], sizes: [3], of: batched))
        #expect(try rows(after: [sql], sizes: []) == rows(after: [], sizes: [1], of: batched))
    }

    @Test(arguments: [
        ("UPDATE OR REPLACE t SET a = 1", "without OR"),
        ("UPDATE t SET id = id + 1", "changes 'id'"),
        ("UPDATE t SET rowid = 1", "changes 'rowid'"),
        ("UPDATE t SET (a, oid) = (1, 2)", "changes 'oid'"),
        ("UPDATE t SET a = (SELECT sum(b) FROM t)", "reads the table"),
        ("UPDATE t SET a = 1 WHERE id IN (SELECT x.id FROM other o, t x)", "reads the table"),
        ("UPDATE t SET a = o.a FROM other o WHERE o.id = t.id", "FROM"),
        ("UPDATE t SET a = 1 ORDER BY b LIMIT 5", "ORDER"),
        ("UPDATE t SET a = random()", "random()"),
        ("UPDATE t SET a = ?", "parameters"),
        ("UPDATE t AS x SET a = 1", "alias"),
        ("UPDATE watched SET a = 1", "triggers"),
        ("UPDATE keyed SET a = 1", "WITHOUT ROWID"),
        ("UPDATE seen SET a = 1", "view"),
        ("UPDATE missing SET a = 1", "does not exist"),
        ("UPDATE temp.t SET a = 1", "another database"),
        ("DELETE FROM t RETURNING id", "RETURNING"),
        ("DELETE FROM t WHERE a IN (SELECT a FROM seen)", "view"),
        ("INSERT INTO new SELECT DISTINCT a FROM t", "DISTINCT"),
        ("INSERT INTO new SELECT a, count(*) FROM t", "count()"),
        ("INSERT INTO new SELECT t.* FROM t JOIN other", "JOIN"),
        ("INSERT INTO new SELECT t.* FROM t, other", "one table"),
        ("INSERT INTO new SELECT * FROM t UNION SELECT * FROM other", "UNION"),
        ("INSERT INTO new SELECT a, row_number() OVER () FROM t", "window"),
        ("INSERT INTO t SELECT * FROM t", "reads the table"),
        ("INSERT OR IGNORE INTO new SELECT * FROM t", "without OR"),
        ("INSERT INTO new VALUES (1)", "INSERT … SELECT"),
        ("INSERT INTO watched SELECT * FROM t", "triggers"),
        ("REPLACE INTO new SELECT * FROM t", "only UPDATE"),
        ("WITH x AS (SELECT 1) DELETE FROM t", "only UPDATE"),
        ("CREATE INDEX i ON t (a)", "only UPDATE"),
    ])
    func otherStatementsAreNotDivided(sql: String, reason: String) {
        do {
            let batched = try batched(sql)
            Issue.record("\(sql) is divided: \(batched.sql)")
        } catch {
            #expect("\(error)".contains(reason), "\(sql): \(error)")
        }
    }

    @Test func aRowIDHasASynonymIfAColumnHasItsName() throws {
        #expect(try batched("DELETE FROM masked").key == "_rowid_")
    }

    @Test func theCurrentTimeIsFound() throws {
        #expect(try batched("DELETE FROM t WHERE a < datetime('now', '-1 day')").usesClock)
        #expect(try batched("UPDATE t SET a = CURRENT_TIMESTAMP").usesClock)
        #expect(try batched("UPDATE t SET a = unixepoch()").usesClock)
        #expect(try !batched("UPDATE t SET a = date(b)").usesClock)
    }

    // MARK: Executing

    /// Returns all rows after statements, or after the batches of a statement.
    private func rows(
        after statements: [String],
        sizes: [Int64],
        of batched: BatchedStatement? = nil
    ) throws -> [String: RowDigest] {
        let connection = try WorkerConnection(path: ":memory:", busyTimeout: 0, isGuarded: false)
        try connection.run("CREATE TABLE t (id INTEGER PRIMARY KEY, a, b)")
        try connection.run("CREATE TABLE other (id INTEGER PRIMARY KEY, a, b)")
        try connection.run("CREATE TABLE new (id INTEGER PRIMARY KEY, a, b)")
        for id in [-9_223_372_036_854_775_808, -5, 0, 1, 2, 3, 10, 11, 9_223_372_036_854_775_807] {
            try connection.run("INSERT INTO t VALUES (\(id), \(id % 4), \(id % 3))")
            try connection.run("INSERT INTO other VALUES (\(id), \(id % 5), 'x')")
        }
        for sql in statements { try connection.run(sql) }
        for size in sizes {
            guard let batched else { break }
            let bounds = try connection.integers(batched.boundsSQL)
            guard var from = bounds[0], let last = bounds[1] else { break }
            while from <= last {
                let upto = try connection.integers(
                    batched.nextSQL,
                    values: [
                        ":poolgauge_from": from, ":poolgauge_last": last,
                        ":poolgauge_rows": size,
                    ]
                )
                guard let end = upto[0] else { break }
                try connection.run(
                    batched.sql,
                    [":poolgauge_from": from, ":poolgauge_upto": end]
                )
                guard end < .max else { break }
                from = end + 1
            }
        }
        var digests: [String: RowDigest] = [:]
        for name in ["t", "other", "new"] {
            var digest = RowDigest()
            try connection.forEachRow(of: "SELECT * FROM \(name)") { row in
                digest.rows += 1
                digest.sum &+= row.hash
            }
            digests[name] = digest
        }
        return digests
    }
}

struct BatchPaceTests {
    @Test func sizesApproachTheAim() {
        var pace = BatchPace(maximumHold: 50_000_000)
        // A row takes 10 µs, so that 1,500 rows take 15 ms.
        for _ in 0..<20 { _ = pace.adapt(held: UInt64(pace.rows) * 10_000, isDone: true) }
        #expect((1400...1600).contains(pace.rows))
    }

    @Test func aLongBatchIsFollowedByAShorterOne() {
        var pace = BatchPace(maximumHold: 50_000_000)
        for _ in 0..<30 { _ = pace.adapt(held: 1, isDone: true) }
        #expect(pace.rows == BatchPace.largest)
        _ = pace.adapt(held: pace.limit, isDone: false)
        #expect(pace.rows == BatchPace.largest / 4)
        for _ in 0..<30 { _ = pace.adapt(held: pace.limit, isDone: false) }
        #expect(pace.rows == 1)
    }

    @Test func aPauseIsAsLongAsItsBatch() {
        var pace = BatchPace(maximumHold: 50_000_000)
        #expect(pace.adapt(held: 7_000_000, isDone: true) == 7_000_000)
        #expect(pace.adapt(held: 1, isDone: true) == 1_000_000)
    }

    @Test func checkpointsAreRegular() {
        var pace = BatchPace(maximumHold: 50_000_000)
        var checkpoints = 0
        for _ in 0..<100 {
            _ = pace.adapt(held: 10_000_000, isDone: true)
            if pace.isCheckpointDue { checkpoints += 1 }
        }
        #expect(checkpoints == 4)
    }
}
