#if os(Linux)
import Foundation
import Telemetry
import TestSupport
import Testing

@testable import SQLTrace

/// Tests the statements of programs that have just opened the database, and how long they wait.
@Suite(
    .enabled(if: TracedPrograms.isAvailable, "skipped: SQL cannot be traced here"),
    .serialized,
    .timeLimit(.minutes(3))
)
struct OpeningProgramTests {
    /// Returns a database and a program that has it open.
    private static func prepared(_ folder: TemporaryFolder) throws -> (String, ForeignProgram) {
        let path = folder.file()
        let program = try ForeignProgram(path)
        try program.run(
            """
            c = connect(path)
            c.execute("PRAGMA journal_mode = WAL")
            c.execute("CREATE TABLE stock(n)")
            import subprocess
            """
        )
        return (path, program)
    }

    /// Traces until the program executes its last statement, and returns the calls of inserts.
    private static func calls(
        in session: SQLTraceSession,
        after program: ForeignProgram
    ) throws -> UInt64? {
        try program.run("c.execute(\"SELECT 'end of test'\").fetchall()")
        session.executions()
        let statements = try session.database().statements
        #expect(session.latePrograms == 0)
        return statements.first { $0.sql == "INSERT INTO stock VALUES (?)" }.map {
            UInt64($0.calls)
        }
    }

    @Test func everyStatementOfShortProgramsIsCounted() throws {
        let folder = TemporaryFolder()
        let (path, program) = try Self.prepared(folder)
        let session = try TracedPrograms.session(path)
        defer { session.close() }
        try program.run(
            """
            code = "import sqlite3; c = sqlite3.connect('%s', timeout=20, isolation_level=None);"
            code = code % path + "c.execute('INSERT INTO stock VALUES(1)')"
            for i in range(7):
                subprocess.run([sys.executable, "-c", code], check=True)
                subprocess.run(["sqlite3", path, "INSERT INTO stock VALUES(2)"], check=True)
            """
        )
        #expect(try Self.calls(in: session, after: program) == 14)
        #expect(session.missedPrograms == 0)
    }

    @Test(.enabled(if: LinkedProgram.isAvailable, "no static SQLite is installed"))
    func everyStatementOfAnUnknownCopyIsCounted() throws {
        let folder = TemporaryFolder()
        let (path, program) = try Self.prepared(folder)
        let binary = folder.file("program")
        try LinkedProgram.compile(.strippedStatic, to: binary)
        let session = try TracedPrograms.session(path)
        defer { session.close() }
        // The first one may run before its copy is calibrated. Messages arrive in order.
        for _ in 0..<2 {
            let first = try LinkedProgram(binary, database: path)
            while session.attached[first.pid] == nil { session.poll() }
        }
        session.latePrograms = 0
        try program.run(
            """
            for i in range(9):
                subprocess.run(
                    ["\(binary)", path], input=b"INSERT INTO stock VALUES(3)\\n", check=True,
                    stdout=subprocess.DEVNULL)
            """
        )
        #expect(try Self.calls(in: session, after: program) == 9)
    }

    @Test func everyStatementOfProgramsThatForkAndExecuteThemselvesIsCounted() throws {
        let folder = TemporaryFolder()
        let (path, program) = try Self.prepared(folder)
        let session = try TracedPrograms.session(path)
        defer { session.close() }
        try program.run(
            """
            code = '''
            import os, sqlite3, sys
            path, count, code = sys.argv[1], int(sys.argv[2]), sys.argv[3]
            c = sqlite3.connect(path, timeout=20, isolation_level=None)
            for i in range(5): c.execute("INSERT INTO stock VALUES(4)")
            if count == 3:
                for i in range(4):
                    if os.fork() == 0:
                        d = sqlite3.connect(path, timeout=20, isolation_level=None)
                        for i in range(5): d.execute("INSERT INTO stock(n) VALUES(5)")
                        os._exit(0)
                for i in range(4): assert os.wait()[1] == 0
            if count > 0:
                os.execv(sys.executable, [sys.executable, "-c", code, path, str(count - 1), code])
            '''
            subprocess.run([sys.executable, "-c", code, path, "3", code], check=True)
            """
        )
        let calls = try Self.calls(in: session, after: program)
        #expect(calls == 20)
        let children = try session.database().statements.filter { $0.sql.contains("(n)") }
        #expect(children.map(\.calls).reduce(0, +) == 20)
    }

    @Test func aReplacedFileIsWatched() throws {
        let folder = TemporaryFolder()
        let (path, program) = try Self.prepared(folder)
        let session = try TracedPrograms.session(path)
        defer { session.close() }
        try program.run(
            """
            for end in ["", "-wal", "-shm"]: os.unlink(path + end)
            c = connect(path)
            c.execute("CREATE TABLE stock(n)")
            """
        )
        session.poll()
        try program.run(
            """
            subprocess.run(["sqlite3", path, "INSERT INTO stock VALUES(6)"], check=True)
            """
        )
        #expect(try Self.calls(in: session, after: program) == 1)
    }

    @Test(.enabled(if: OverlayRoot.isAvailable, "no overlay file system can be mounted"))
    func programsInAContainerAreTraced() throws {
        let folder = TemporaryFolder()
        let program = try ForeignProgram(
            "/srv/app.db",
            through: OverlayRoot.command(folder.file("root"))
        )
        try program.run("c = connect(path); c.execute('CREATE TABLE stock(n)')")
        let session = try TracedPrograms.session("/proc/\(program.pid)/root/srv/app.db")
        defer { session.close() }
        try program.run(
            """
            import subprocess
            c.execute('INSERT INTO stock VALUES(1)')
            code = "import sqlite3; c = sqlite3.connect('/srv/app.db', isolation_level=None);"
            code += "c.execute('INSERT INTO stock VALUES(2)')"
            for words in [[], ["unshare", "--pid", "--fork"]]:
                subprocess.run(words + [sys.executable, "-c", code], check=True)
            """
        )
        #expect(try Self.calls(in: session, after: program) == 3)
    }

    @Test func otherProgramsThatReadTheFileAreNotListed() throws {
        let folder = TemporaryFolder()
        let (path, program) = try Self.prepared(folder)
        let session = try TracedPrograms.session(path)
        defer { session.close() }
        try program.run(
            "for i in range(20): subprocess.run(['cat', path], stdout=subprocess.DEVNULL)"
        )
        #expect(try session.database().tracing.notVisible.isEmpty)
        #expect(session.missedPrograms == 0 && session.latePrograms == 0)
    }

    @Test func programsThatEndAtOnceAreCountedAsMissingIfTheyCannotWait() throws {
        let folder = TemporaryFolder()
        let (path, program) = try Self.prepared(folder)
        let session = try TracedPrograms.session(path, makesProgramsWait: false)
        defer { session.close() }
        // The session's thread waits until the program has ended.
        try session.lock.withLock { _ in
            try program.run("subprocess.run(['cat', path], stdout=subprocess.DEVNULL)")
        }
        try eventually(every: 1_000) {
            session.poll()
            return session.missedPrograms > 0
        }
        // Programs of other tests list all open databases, and may read this one, too.
        #expect(session.missedPrograms >= 1)
        #expect(session.notes.contains { $0.hasPrefix("programs cannot wait") })
    }

    /// How a tracing process or its gate fails.
    enum Failure: String, CaseIterable, Sendable {
        case stoppedTracer, stoppedGate, killedTracer, killedGate
    }

    @Test(arguments: Failure.allCases)
    func noProgramWaitsForAFailedTrace(failure: Failure) throws {
        let folder = TemporaryFolder()
        let (path, program) = try Self.prepared(folder)
        let tracer = Process()
        tracer.executableURL = URL(fileURLWithPath: TracedPrograms.helper)
        tracer.arguments = ["trace", path]
        let output = Pipe()
        tracer.standardOutput = output
        try tracer.run()
        let process = tracer.processIdentifier
        defer {
            kill(process, SIGKILL)
            tracer.waitUntilExit()
        }
        _ = output.fileHandleForReading.availableData
        let list = "/proc/\(process)/task/\(process)/children"
        let children = try String(contentsOfFile: list, encoding: .utf8).split(separator: " ")
            .compactMap { Int32($0) }
        let gate = try #require(
            children.first {
                let words = try? String(contentsOfFile: "/proc/\($0)/cmdline", encoding: .utf8)
                return words?.contains("opens") ?? false
            }
        )
        switch failure {
        case .stoppedTracer: kill(process, SIGSTOP)
        case .stoppedGate: kill(gate, SIGSTOP)
        case .killedTracer: kill(process, SIGKILL)
        case .killedGate: kill(gate, SIGKILL)
        }
        // The gate lets the program that has probes pass, so other programs open the file.
        try program.run(
            """
            code = "import time; start = time.monotonic(); open('%s'); print(time.monotonic() - start)"
            times = [
                float(subprocess.run([sys.executable, "-c", code % path], capture_output=True).stdout)
                for i in range(3)
            ]
            # A stopped gate ends after half a second, and the deadline is a quarter.
            assert times[0] < \(failure == .stoppedGate ? 0.8 : 0.5), times
            assert times[2] < 0.1, times
            """
        )
    }
}
#endif
