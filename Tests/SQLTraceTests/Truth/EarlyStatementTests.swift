#if os(Linux)
import Foundation
import SQLiteWatch
import TestSupport
import Testing

@testable import SQLTrace

/// Tests that statements are known that began before their programs had probes.
@Suite(
    .enabled(if: TracedPrograms.isAvailable, "skipped: SQL cannot be traced here"),
    .serialized,
    .timeLimit(.minutes(3))
)
struct EarlyStatementTests {
    /// A program with a database of one row, whose SQL functions `gate`, `nested`, and `second` wait.
    private struct GatedProgram {
        let path: String
        let program: ForeignProgram
        private let pipe: String

        init(_ folder: TemporaryFolder) throws {
            (path, program) = try TracedPrograms.prepared(folder)
            pipe = folder.file("gate")
            for pipe in [pipe, pipe + "2"] { mkfifo(pipe, 0o600) }
            try program.run(
                """
                c.execute('INSERT INTO stock(n) VALUES(1)')
                c.create_function('gate', 0, lambda: len(open('\(pipe)').read(1)))
                c.create_function('second', 0, lambda: len(open('\(pipe)2').read(1)))
                c.create_function('nested', 0, lambda: c.execute('SELECT gate()').fetchone()[0])
                """
            )
        }

        /// Starts code, and returns when a statement waits for a byte.
        func begin(_ code: String) throws -> FileHandle {
            try program.begin(code)
            return try #require(FileHandle(forWritingAtPath: pipe))
        }

        /// Returns when a statement waits in the function `second`.
        func second() throws -> FileHandle {
            try #require(FileHandle(forWritingAtPath: pipe + "2"))
        }

        /// Ends the wait and the code.
        func finish(_ gate: FileHandle) throws {
            try gate.write(contentsOf: [0x31])
            try program.finish()
        }
    }

    @Test(arguments: [
        "c.execute('UPDATE stock SET n = gate()')",
        "c.execute('UPDATE stock SET n = nested()')",
        "t = threading.Thread(target=c.execute, args=('UPDATE stock SET n = gate()',)); t.start(); t.join()",
    ])
    func aStatementIsKnownAndItsEndCountsOnce(code: String) throws {
        let folder = TemporaryFolder()
        let gated = try GatedProgram(folder)
        let gate = try gated.begin(code)
        let session = try TracedPrograms.session(gated.path)
        defer { session.close() }
        session.poll()
        // A nested statement belongs to the one that contains it.
        let start = "UPDATE stock SET n = " + (code.contains("nested") ? "nested" : "gate")
        for _ in 0..<2 {
            let database = try session.database()
            let current = try #require(database.current.first)
            #expect(current.pid == gated.program.pid && current.isRunning)
            #expect(current.sql.hasPrefix(start) && current.isLowerBound == true)
            let connection = try #require(database.connections.first)
            let running = try #require(connection.running)
            #expect(running.sql == current.sql && running.isLowerBound == true)
            #expect(connection.settings.busyTimeoutMilliseconds == 200)
            #expect(database.statements.isEmpty)
            session.poll()
        }
        try gated.finish(gate)
        try gated.program.run(TracedPrograms.end)
        session.executions()
        let database = try session.database()
        let statement = try #require(database.statements.first { $0.sql.hasPrefix(start) })
        #expect(statement.calls == 1 && statement.timed == 0 && statement.rows == nil)
        #expect(database.current.allSatisfy { !$0.isRunning })
        #expect(database.connections.allSatisfy { $0.running == nil })
    }

    @Test func statementsInsideAnEarlyStatementBelongToIt() throws {
        let folder = TemporaryFolder()
        let gated = try GatedProgram(folder)
        try gated.program.run(
            """
            c.create_function('both', 0, lambda:
                c.execute('SELECT 7 FROM stock').fetchone()[0] + c.execute('SELECT second()').fetchone()[0])
            """
        )
        let first = try gated.begin("c.execute('UPDATE stock SET n = gate() + both()')")
        let session = try TracedPrograms.session(gated.path)
        defer { session.close() }
        session.poll()
        try first.write(contentsOf: [0x31])
        let second = try gated.second()
        session.poll()
        let database = try session.database()
        #expect(database.statements.isEmpty && (database.tracing.nestedExecutions ?? 0) == 1)
        #expect(database.current.first?.sql.hasPrefix("UPDATE") == true)
        try gated.finish(second)
        try gated.program.run(TracedPrograms.end)
        session.executions()
        let update = try session.database().statements.first { $0.sql.hasPrefix("UPDATE") }
        #expect(update?.calls == 1 && update?.timed == 0)
    }

    @Test func aStatementBetweenTwoRowsDoesNotRun() throws {
        let folder = TemporaryFolder()
        let gated = try GatedProgram(folder)
        try gated.program.run(
            "rows = c.execute('SELECT 1 UNION ALL SELECT gate() UNION ALL SELECT 3')"
        )
        let session = try TracedPrograms.session(gated.path)
        defer { session.close() }
        session.poll()
        #expect(try session.database().current.isEmpty)
        // The next step is traced, but the execution began before.
        let gate = try gated.begin("rows.fetchall()")
        session.poll()
        let current = try #require(try session.database().current.first)
        #expect(current.isRunning && current.isLowerBound == true)
        #expect(current.sql.hasPrefix("SELECT"))
        try gated.finish(gate)
    }

    @Test func aTracedStatementHasAnExactStart() throws {
        let folder = TemporaryFolder()
        let gated = try GatedProgram(folder)
        let session = try TracedPrograms.session(gated.path)
        defer { session.close() }
        let gate = try gated.begin("c.execute('UPDATE stock SET n = gate()')")
        session.poll()
        let current = try #require(try session.database().current.first)
        #expect(current.isRunning && current.isLowerBound == nil)
        try gated.finish(gate)
    }

    @Test(arguments: [LinkedProgram.Kind.strippedRelocatable, .strippedStatic])
    func statementsOfProgramsThatContainSQLiteAreKnown(kind: LinkedProgram.Kind) throws {
        guard LinkedProgram.isAvailable else { return print("no static SQLite is installed") }
        let folder = TemporaryFolder()
        let (binary, path) = (folder.file("program"), folder.file())
        try LinkedProgram.compile(kind, to: binary)
        let program = try LinkedProgram(binary, database: path)
        try program.execute("CREATE TABLE stock(id INTEGER PRIMARY KEY, n)")
        try program.begin(
            "INSERT INTO stock(n) WITH n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT max(i) FROM n"
        )
        func ticks() -> UInt64 {
            ProcFile.read("/proc/\(program.pid)/stat").flatMap(ProcessStat.init)?.ticks ?? .max
        }
        // The statement, which does not end, is the program's only work.
        let start = ticks()
        while ticks() < start + 2 { sched_yield() }
        let session = try TracedPrograms.session(path)
        defer { session.close() }
        session.poll()
        let current = try #require(try session.database().current.first)
        #expect(current.isRunning && current.isLowerBound == true)
        #expect(current.sql.hasPrefix("INSERT INTO stock (n) WITH"))
    }
}
#endif
