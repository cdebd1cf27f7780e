#if os(Linux)
import Findings
import Foundation
import SQLiteWatch
import Telemetry
import TestSupport
import Testing

@testable import SQLTrace

/// Tests traces of unmodified programs that run known numbers of statements.
@Suite(
    .enabled(if: TracedPrograms.isAvailable, "skipped: SQL cannot be traced here"),
    .serialized,
    .timeLimit(.minutes(3))
)
struct PythonTruthTests {
    @Test func callsRowsAndTransactionsAreExact() throws {
        let folder = TemporaryFolder()
        let (path, program) = try TracedPrograms.prepared(folder)
        let session = try TracedPrograms.session(path)
        defer { session.close() }
        try program.run(
            """
            for i in range(137):
                c.execute("BEGIN IMMEDIATE")
                c.execute("INSERT INTO stock(n, name) VALUES(?, ?)", (i, "x"))
                c.execute("INSERT INTO stock(n, name) VALUES(?, ?)", (i, "y"))
                c.execute("COMMIT")
            for i in range(211): c.execute("SELECT * FROM stock WHERE id = %d" % i).fetchall()
            for i in range(3):
                try: c.execute("INSERT INTO stock(id) VALUES(1)")
                except sqlite3.IntegrityError: pass
            \(TracedPrograms.end)
            """
        )
        let executions = session.executions()
        #expect(executions.allSatisfy { $0.process == program.pid && $0.database == path })
        let database = try session.database()
        func statement(_ text: String) -> WatchedStatement? {
            database.statements.first { $0.sql == text }
        }
        #expect(statement("BEGIN IMMEDIATE")?.calls == 137)
        #expect(statement("COMMIT")?.calls == 137)
        #expect(statement("INSERT INTO stock (n, name) VALUES (?, ?)")?.calls == 274)
        #expect(statement("SELECT * FROM stock WHERE id = ?")?.calls == 211)
        #expect(statement("INSERT INTO stock (id) VALUES (?)")?.calls == 3)
        #expect(statement("INSERT INTO stock (id) VALUES (?)")?.failed == 3)
        let commits = executions.filter { $0.sql == "COMMIT" }
        #expect(commits.allSatisfy { $0.isAutocommit })
        #expect(executions.filter { !$0.isAutocommit }.count == 137 * 3)
        #expect(database.transactions.allSatisfy { !$0.open && $0.statements == 3 && $0.writes })
        #expect(database.tracing.lost == 0)
        #expect(database.tracing.pids == [program.pid])
    }

    @Test func blockersAreCorrectInAllTwentyCases() throws {
        let folder = TemporaryFolder()
        let (path, waiter) = try TracedPrograms.prepared(folder)
        try waiter.run("c.executemany('INSERT INTO stock(n) VALUES(?)', [(i,) for i in range(30)])")
        let blockers = try (0..<3).map { number in
            let program = try ForeignProgram(path, name: "blocker\(number)")
            try program.run("c = connect(path)")
            return program
        }
        let session = try TracedPrograms.session(path)
        defer { session.close() }
        for round in 0..<20 {
            let blocker = blockers[round * 7 % 3]
            let reader = blockers[(round * 7 + 1) % 3]
            try reader.run("c.execute('BEGIN'); c.execute('SELECT * FROM stock').fetchall()")
            try blocker.run(
                "c.execute('BEGIN IMMEDIATE'); c.execute('UPDATE stock SET n = n + 1 WHERE id = \(round)')"
            )
            // This statement fails after 200 ms in the busy handler.
            try waiter.run(
                """
                try:
                    c.execute("INSERT INTO stock(n) VALUES(\(round))")
                    raise Exception("not blocked")
                except sqlite3.OperationalError: pass
                """
            )
            try blocker.run("c.execute('COMMIT')")
            try reader.run("c.execute('COMMIT')")
        }
        try waiter.run(TracedPrograms.end)
        session.executions()
        let database = try session.database()
        let insert = database.statements.first { $0.sql.hasPrefix("INSERT INTO stock (n)") }
        #expect(insert?.busy == 20)
        #expect(database.blocked.count == 20)
        for (round, block) in database.blocked.reversed().enumerated() {
            let blocker = blockers[round * 7 % 3]
            #expect(block.pid == waiter.pid)
            #expect(block.by?.pid == blocker.pid)
            #expect(block.by?.sql == "UPDATE stock SET n = n + ? WHERE id = ?")
            #expect(block.failed)
            #expect(!block.isUpperBound)
            #expect((0.19...0.3).contains(block.seconds))
            #expect((block.by?.transactionSeconds ?? 0) >= 0.19)
            #expect((block.by?.idleSeconds ?? 0) >= 0.15)
        }
    }

    @Test func anOpenTransactionIsShownWithItsAge() throws {
        let folder = TemporaryFolder()
        let (path, program) = try TracedPrograms.prepared(folder)
        let session = try TracedPrograms.session(path)
        defer { session.close() }
        try program.run(
            "c.execute('BEGIN'); c.execute('SELECT * FROM stock').fetchall(); \(TracedPrograms.end)"
        )
        session.executions()
        let open = try #require(try session.database().transactions.first { $0.open })
        #expect(open.pid == program.pid)
        #expect(open.name == "worker")
        #expect(open.statements == 2)
        #expect(!open.writes)
        #expect(open.seconds >= open.secondsSinceStatement ?? .infinity)
        try program.run("c.execute('ROLLBACK')")
        session.executions(until: "ROLLBACK")
        let ended = try session.database().transactions
        #expect(ended.allSatisfy { !$0.open })
    }

    @Test func closingAConnectionEndsItsTransaction() throws {
        let folder = TemporaryFolder()
        let (path, program) = try TracedPrograms.prepared(folder)
        let session = try TracedPrograms.session(path)
        defer { session.close() }
        try program.run(
            """
            d = connect(path)
            d.execute("BEGIN IMMEDIATE")
            d.execute("SELECT 'held'").fetchall()
            """
        )
        session.executions(until: "SELECT 'held'")
        #expect(try session.database().transactions.map(\.open) == [true])
        try program.run("d.close(); \(TracedPrograms.end)")
        session.executions()
        let transactions = try session.database().transactions
        #expect(transactions.map(\.open) == [false])
        #expect(transactions.map(\.writes) == [true])
    }

    @Test func onlyProcessesThatUseTheDatabaseHaveProbes() throws {
        let folder = TemporaryFolder()
        let (path, program) = try TracedPrograms.prepared(folder)
        let other = TemporaryFolder()
        let neighbor = try ForeignProgram(other.file())
        try neighbor.run("c = connect(path); c.execute('CREATE TABLE t(a)')")
        let session = try TracedPrograms.session(path)
        defer { session.close() }
        try neighbor.run("for i in range(100): c.execute('SELECT * FROM t').fetchall()")
        try program.run(TracedPrograms.end)
        session.executions()
        #expect(Array(session.attached.keys) == [program.pid])
        #expect(!session.kernel.traps().isEmpty)
        #expect(session.kernel.traps().values.allSatisfy { $0.process == program.pid })
        #expect(try session.database().tracing.otherExecutions == 0)
    }

    @Test func ownHelpersHaveNoProbes() throws {
        let folder = TemporaryFolder()
        let (path, program) = try TracedPrograms.prepared(folder)
        let python = try #require(ForeignProgram.python)
        var ends: [Int32] = [-1, -1]
        try #require(ChildProcess.pipe(&ends))
        defer { for end in ends { close(end) } }
        let script =
            "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); "
            + "c.execute('SELECT * FROM stock'); print(1, flush=True); input()"
        var inputs: [Int32] = [-1, -1]
        try #require(ChildProcess.pipe(&inputs))
        let helper = try #require(
            ChildProcess.start(
                [python, "-c", script, path],
                descriptors: [0: inputs[0], 1: ends[1]]
            )
        )
        defer {
            for end in inputs { close(end) }
            waitpid(helper, nil, 0)
        }
        try #require(
            ChildProcess.waitForInput(ends[0], until: monotonicNanoseconds() + 60_000_000_000)
        )
        let session = try TracedPrograms.session(path)
        defer { session.close() }
        try program.run(TracedPrograms.end)
        session.executions()
        #expect(Array(session.attached.keys) == [program.pid])
    }

    @Test func aProgramThatStartsLaterIsTraced() throws {
        let folder = TemporaryFolder()
        let (path, program) = try TracedPrograms.prepared(folder)
        let session = try TracedPrograms.session(path)
        defer { session.close() }
        for index in 0..<3 {
            let later = try ForeignProgram(path)
            try later.run("c = connect(path)")
            try later.run(
                """
                c.execute('INSERT INTO stock(n) VALUES(\(index))')
                c.executescript("INSERT INTO stock(n) VALUES(100); DELETE FROM stock WHERE n = 100")
                """
            )
        }
        try program.run(TracedPrograms.end)
        session.executions()
        let database = try session.database()
        let insert = database.statements.first { $0.sql == "INSERT INTO stock (n) VALUES (?)" }
        #expect(insert?.pids.count == 3)
        #expect(insert?.calls == 3)
        let ended = database.statements.first { $0.sql.hasPrefix("DELETE FROM stock") }
        #expect(ended?.calls == 3)
    }

    @Test func forkedProcessesAreTraced() throws {
        let folder = TemporaryFolder()
        let (path, program) = try TracedPrograms.prepared(folder)
        let session = try TracedPrograms.session(path)
        defer { session.close() }
        try program.run(
            """
            child_in, parent_out = os.pipe()
            child = os.fork()
            if child == 0:
                d = sqlite3.connect(path, isolation_level=None)
                os.read(child_in, 1)
                for i in range(29): d.execute("SELECT n FROM stock WHERE id = 7").fetchall()
                os._exit(0)
            """
        )
        try program.run("os.write(parent_out, b'x'); os.waitpid(child, 0); \(TracedPrograms.end)")
        session.executions()
        for _ in 0..<100 where session.attached.count > 1 { session.poll() }
        #expect(Array(session.attached.keys) == [program.pid])
        let database = try session.database()
        let select = database.statements.first { $0.sql == "SELECT n FROM stock WHERE id = ?" }
        #expect(select?.calls == 29)
    }

    @Test func executionsInsideAStepBelongToTheOuterStatement() throws {
        let folder = TemporaryFolder()
        let (path, program) = try TracedPrograms.prepared(folder)
        try program.run(
            """
            c.execute("CREATE VIRTUAL TABLE words USING fts5(body)")
            for i in range(100): c.execute("INSERT INTO words VALUES(?)", ("w%d common" % i,))
            d = connect(path)
            c.create_function("other", 1, lambda n: d.execute("SELECT 40 + ?", (n,)).fetchone()[0])
            """
        )
        let session = try TracedPrograms.session(path)
        defer { session.close() }
        try program.run(
            """
            for i in range(10):
                c.execute("SELECT * FROM words WHERE words MATCH 'common'").fetchall()
            assert c.execute("SELECT other(2)").fetchone() == (42,)
            \(TracedPrograms.end)
            """
        )
        session.executions()
        let database = try session.database()
        let calls = Dictionary(uniqueKeysWithValues: database.statements.map { ($0.sql, $0) })
        #expect(calls["SELECT * FROM words WHERE words MATCH ?"]?.calls == 10)
        #expect(calls["SELECT * FROM words WHERE words MATCH ?"]?.rows == 1_000)
        #expect(calls["SELECT other (?)"]?.calls == 1 || calls["SELECT other(?)"]?.calls == 1)
        // This execution uses another connection.
        #expect(calls["SELECT ? + ?"]?.calls == 1)
        #expect(!database.statements.contains { $0.sql.contains("?.?") })
        #expect(database.tracing.nestedExecutions ?? 0 > 0)
    }

    @Test func aRunningStatementIsShownWithItsAge() throws {
        let folder = TemporaryFolder()
        let (path, program) = try TracedPrograms.prepared(folder)
        try program.run(
            """
            started, going = threading.Event(), threading.Event()
            c.create_function("wait", 0, lambda: started.set() or going.wait(60))
            """
        )
        let session = try TracedPrograms.session(path)
        defer { session.close() }
        try program.run(
            """
            thread = threading.Thread(target=lambda: c.execute("SELECT wait()").fetchall())
            thread.start(); started.wait(60)
            """
        )
        session.poll()
        let current = try #require(try session.database().current.first)
        #expect(current.isRunning)
        #expect(current.sql.hasPrefix("SELECT wait"))
        try program.run("going.set(); thread.join(); \(TracedPrograms.end)")
        session.executions()
        #expect(try session.database().current.first?.isRunning == false)
    }

    @Test func everyExecutionIsTimed() throws {
        let folder = TemporaryFolder()
        let (path, program) = try TracedPrograms.prepared(folder)
        try program.run(
            "c.executemany('INSERT INTO stock(n) VALUES(?)', [(i,) for i in range(500)])"
        )
        let session = try TracedPrograms.session(path)
        defer { session.close() }
        try program.run(
            """
            for i in range(40): c.execute('SELECT * FROM stock WHERE id <= 25').fetchall()
            for i in range(7): c.execute('SELECT * FROM stock WHERE id <= 20').fetchone()
            \(TracedPrograms.end)
            """
        )
        let executions = session.executions()
        let selects = executions.filter { $0.sql == "SELECT * FROM stock WHERE id <= 25" }
        #expect(selects.count == 40)
        #expect(selects.allSatisfy { $0.rows == 25 && ($0.seconds ?? 0) > 0 })
        let early = executions.filter { $0.sql == "SELECT * FROM stock WHERE id <= 20" }
        #expect(early.count == 7)
        #expect(early.allSatisfy { $0.source == .reset && ($0.rows ?? 20) < 20 })
    }

    @Test func aBusyProcessHasProbesOnlyInWindows() throws {
        let folder = TemporaryFolder()
        let (path, program) = try TracedPrograms.prepared(folder)
        let quiet = try ForeignProgram(path)
        try quiet.run("c = connect(path)")
        let session = try TracedPrograms.session(path) { $0.shareLimit = 0.05 }
        defer { session.close() }
        try program.run(
            """
            stop, count = False, 0
            def work():
                global count
                while not stop:
                    c.execute("SELECT n FROM stock WHERE id = 1").fetchall()
                    count += 1
            thread = threading.Thread(target=work)
            thread.start()
            """
        )
        // The process loses its probes, and gets them again.
        _ = try eventually("the end of a pause", timeout: 100, every: 10_000) {
            session.poll()
            return session.takeGaps().values.joined().first { $0.upperBound < .max }
        }
        try program.run("stop = True; thread.join(); open(path + '.count', 'w').write(str(count))")
        let count = try #require(Double(String(contentsOfFile: path + ".count", encoding: .utf8)))
        try quiet.run("for i in range(10): c.execute('SELECT 7').fetchall()\n\(TracedPrograms.end)")
        session.executions()
        let database = try session.database()
        let busy = try #require(database.statements.first { $0.sql.hasPrefix("SELECT n FROM") })
        #expect(busy.isSampled == true)
        #expect(Double(busy.calls) < count)
        #expect(busy.leastCalls ?? 0 <= count)
        // On a loaded machine, a program gets less done in the short time with probes: up to five
        // times less was seen.
        #expect(count <= 10 * (busy.mostCalls ?? 0))
        let sampled = try #require(database.tracing.sampled)
        #expect(sampled.map(\.pid) == [program.pid])
        #expect(sampled.allSatisfy { $0.attachedSeconds > 0.1 && $0.attachedSeconds < 4 })
        #expect(sampled.allSatisfy { $0.share > 0.05 })
        // The quiet process has its probes all the time. It also runs the last statement.
        let other = database.statements.first { $0.pids == [quiet.pid] }
        #expect(other?.calls == 11)
        #expect(other?.isSampled == nil)
    }

    @Test(arguments: [true, false])
    func otherWaysTraceTheSame(allowsLinks: Bool) throws {
        guard case .success(var way) = ProbeSupport.way(allowsLinks: allowsLinks) else { return }
        if way == .session { way = .link }
        let folder = TemporaryFolder()
        let (path, program) = try TracedPrograms.prepared(folder)
        let session = try TracedPrograms.session(path, way: way)
        defer { session.close() }
        try program.run(
            """
            def work():
                for i in range(31): c.execute('SELECT n FROM stock').fetchall()
            thread = threading.Thread(target=work)
            thread.start(); thread.join()
            \(TracedPrograms.end)
            """
        )
        let executions = session.executions()
        #expect(executions.count { $0.sql == "SELECT n FROM stock" } == 31)
    }

    @Test func boundValuesAreReadOnlyOnRequest() throws {
        let folder = TemporaryFolder()
        let (path, program) = try TracedPrograms.prepared(folder)
        let insert =
            "c.execute('INSERT INTO stock(id, n, name) VALUES(?, ?, ?)', (%d, 2.5, 'PLANTED'))"
        for readsValues in [false, true] {
            let session = try TracedPrograms.session(path) { $0.readsValues = readsValues }
            defer { session.close() }
            let id = readsValues ? 8 : 7
            try program.run(
                insert.replacingOccurrences(of: "%d", with: "\(id)") + "; \(TracedPrograms.end)"
            )
            let execution = try #require(
                session.executions().first { $0.sql?.hasPrefix("INSERT") ?? false }
            )
            let expected: [StatementValue] = [.integer(8), .real(2.5), .text("PLANTED")]
            #expect(execution.values == (readsValues ? expected : []))
        }
    }

    @Test func plansUseTheSchemaInTheFileAndTheLog() throws {
        let folder = TemporaryFolder()
        let (path, program) = try TracedPrograms.prepared(folder)
        // Many long statements require interior pages and overflow pages, all of which are still in
        // the log.
        try program.run(
            """
            c.execute("PRAGMA wal_autocheckpoint = 0").fetchall()
            for i in range(60):
                c.execute("CREATE TABLE t%d(a, b /* %s */)" % (i, "x" * (200 * i)))
            c.execute("CREATE INDEX by_name ON stock(name)")
            """
        )
        let session = try TracedPrograms.session(path)
        defer { session.close() }
        try program.run(
            """
            c.execute("SELECT * FROM stock WHERE name = 'x'").fetchall()
            c.execute('SELECT "b" FROM t59 ORDER BY "a"').fetchall()
            \(TracedPrograms.end)
            """
        )
        session.executions()
        let statements = try session.database().statements
        let byName = statements.first { $0.sql == "SELECT * FROM stock WHERE name = ?" }
        #expect(byName?.plan == ["SEARCH stock USING INDEX by_name (name=?)"])
        let sorted = statements.first { $0.sql.contains("ORDER BY") }
        #expect(sorted?.plan == ["SCAN t59", "USE TEMP B-TREE FOR ORDER BY"])
        // The names in the schema are known when the trace starts.
        #expect(sorted?.sql == "SELECT \"b\" FROM t59 ORDER BY \"a\"")
    }

    @Test func plantedSecretsAreNotShown() throws {
        let folder = TemporaryFolder()
        let (path, program) = try TracedPrograms.prepared(folder)
        for showsLiterals in [false, true] {
            let session = try TracedPrograms.session(path) { $0.showsLiterals = showsLiterals }
            defer { session.close() }
            try program.run(
                """
                c.execute("SELECT 'PLANTED' /* PLANTED */ -- PLANTED")
                c.execute('SELECT * FROM stock WHERE name = "PLANTED"').fetchall()
                c.execute("SELECT * FROM stock WHERE name = ?", ("BOUND-SECRET",)).fetchall()
                c.execute("PRAGMA key = 'KEY-SECRET'").fetchall()
                c.executescript("PRAGMA rekey = 'KEY-SECRET'; SELECT 1")
                try: c.execute("ATTACH ':memory:' AS other KEY 'KEY-SECRET'")
                except sqlite3.Error: pass
                try: c.execute("DETACH other")
                except sqlite3.Error: pass
                \(TracedPrograms.end)
                """
            )
            session.executions()
            var report: [WatchReport] = []
            session.complete(&report)
            let database = try session.database()
            let shown = "\(database)"
            #expect(!shown.contains("KEY-SECRET"))
            #expect(!shown.contains("BOUND-SECRET"))
            #expect(shown.contains("PLANTED") == showsLiterals)
        }
    }
}
#endif
