#if os(Linux)
import CTrace
import Findings
import Foundation
import Glibc
import SQLiteWatch
import TestSupport
import Testing

@testable import SQLTrace

/// Programs that are started with the library, as an ordinary user would start them.
@Suite(.serialized, .timeLimit(.minutes(2)), .enabled(if: TracedCommands.isAvailable))
struct AgentTraceTests {
    private let folder = TemporaryFolder()

    /// Runs a Python program with `path`, a database, and returns the session after its end.
    private func session(
        _ code: String,
        paths: [String] = [],
        _ arguments: [String] = [],
        options: SQLTraceOptions = SQLTraceOptions()
    ) throws -> (AgentTraceSession, [StatementExecution], String) {
        let path = folder.file()
        let session = try AgentTraceSession(options, paths: paths)
        let program = "import sqlite3, sys, os\npath = sys.argv[1]\n" + code
        let command = ["python3", "-c", program, path] + arguments
        let process = try session.start(command, library: TracedCommands.library)
        #expect(session.obstacle == nil)
        var status: Int32 = 0
        var executions: [StatementExecution] = []
        while waitpid(process, &status, WNOHANG) == 0 {
            executions += session.poll()
            usleep(1_000)
        }
        #expect(status == 0)
        executions += session.poll()
        return (session, executions, path)
    }

    private static let work = """
        def work(path):
            c = sqlite3.connect(path, isolation_level=None)
            c.execute("CREATE TABLE t(a INTEGER PRIMARY KEY, b UNIQUE)")
            c.execute("BEGIN")
            for i in range(300): c.execute("INSERT INTO t VALUES(?, ?)", (i, i))
            c.execute("COMMIT")
            for i in range(200): c.execute("SELECT * FROM t WHERE a < ?", (3,)).fetchall()
            try: c.execute("INSERT INTO t VALUES(1, 2)")
            except sqlite3.IntegrityError: pass
            c.execute("CREATE VIRTUAL TABLE f USING fts5(x)")
            c.execute("INSERT INTO f VALUES('hello')")
            c.close()

        """

    @Test(arguments: ["path", "':memory:'"])
    func countsEachStatementOfAProgram(database: String) throws {
        let (session, executions, path) = try session(Self.work + "work(\(database))")
        let name = database == "path" ? FilePath.resolved(path) : ":memory:"
        let report = try #require(session.report()[name])
        func statement(_ start: String) throws -> WatchedStatement {
            try #require(report.statements.first { $0.sql.hasPrefix(start) })
        }
        #expect(executions.count == 506)
        #expect(try statement("SELECT").calls == 200)
        #expect(try statement("SELECT").rows == 600)
        #expect(try statement("INSERT INTO f").calls == 1)
        let inserts = report.statements.filter { $0.sql.hasPrefix("INSERT INTO t") }
        #expect(inserts.map(\.calls).reduce(0, +) == 301)
        #expect(inserts.map(\.failed).reduce(0, +) == 1)
        let codes = inserts.compactMap(\.failures).joined().map(\.code)
        #expect(codes == ["SQLITE_CONSTRAINT_PRIMARYKEY"])
        #expect(try statement("BEGIN").calls == 1)
        #expect(report.transactions.map(\.statements) == [301])
        #expect(report.tracing.lost == 0)
        #expect(report.tracing.unknownTexts == 0)
        #expect(report.tracing.nestedExecutions ?? 0 > 0)
        #expect(report.tracing.source == WatchedTracing.agentSource)
        #expect(report.copies.first?.version != nil || report.connections.isEmpty)
    }

    @Test(arguments: ["UTF-8", "UTF-16le", "UTF-16be"])
    func boundValuesAreReadOnlyOnRequest(encoding: String) throws {
        // The statement has more registers and cursors than the one of the calibration.
        let code = """
            c = sqlite3.connect(path, isolation_level=None)
            c.execute("PRAGMA encoding = '\(encoding)'")
            c.execute("CREATE TABLE IF NOT EXISTS t(a, b, c, d, e, f, g, h, i)")
            sql = "INSERT INTO t SELECT ?, ?, ?, ?, ?, ?, ?, ?, ? FROM t AS x, t AS y WHERE x.a = y.b"
            c.execute(sql, (-3, 2.5, None, "Grüße 😀", bytes(9), "x" * 100, "", 1 << 62, 9))
            c.execute("SELECT a FROM t WHERE a = :a OR b = :b OR c = :a", {"a": "e" * 64, "b": 1})
            c.execute("SELECT a FROM t")
            c.execute("PRAGMA busy_timeout = 7")
            """
        for readsValues in [false, true] {
            var options = SQLTraceOptions()
            options.readsValues = readsValues
            let (_, executions, _) = try session(code, options: options)
            func values(_ start: String) throws -> [StatementValue] {
                try #require(executions.first { $0.sql?.hasPrefix(start) ?? false }).values
            }
            guard readsValues else {
                #expect(!executions.contains { !$0.values.isEmpty })
                continue
            }
            let insert: [StatementValue] = [
                .integer(-3), .real(2.5), .null, .text("Grüße 😀"), .blob(bytes: 9),
                .text(String(repeating: "x", count: 64)), .text(""), .integer(1 << 62),
            ]
            #expect(try values("INSERT") == insert)
            let text = StatementValue.text(String(repeating: "e", count: 64))
            #expect(try values("SELECT a FROM t WHERE") == [text, .integer(1)])
            #expect(executions.count { !$0.values.isEmpty } == 2)
        }
    }

    @Test func decodesOnlyWholeValues() {
        let integer: [UInt8] = [1, 7, 0, 0, 0, 0, 0, 0, 0]
        let text: [UInt8] = [3, 2, 0, 0, 0, 0, 0, 0, 0, 0x61, 0x62]
        #expect(ProbeRecord.values(packed: integer + text) == [.integer(7), .text("ab")])
        #expect(ProbeRecord.values(packed: integer + text.dropLast()) == [])
        #expect(ProbeRecord.values(packed: integer + [9] + integer.dropFirst()) == [])
        let most = Array([[UInt8]](repeating: integer, count: 8).joined())
        #expect(ProbeRecord.values(packed: most).count == 8)
        #expect(ProbeRecord.values(packed: most + integer) == [])
        let lengths: [UInt8] = [3] + [UInt8](repeating: 0xff, count: 8)
        #expect(ProbeRecord.values(packed: integer + lengths) == [])
        let blob: [UInt8] = [4] + [UInt8](repeating: 0xff, count: 8)
        #expect(ProbeRecord.values(packed: blob) == [.blob(bytes: Int(Int32.max))])
    }

    @Test func textsInAllEncodingsEndAtACharacter() {
        func text(_ bytes: [UInt8], _ encoding: UInt8, isCut: Bool = true) -> String {
            ProbeRecord.text(bytes, encoding: encoding, isCut: isCut)
        }
        let euro: [UInt8] = [0xe2, 0x82, 0xac]
        #expect(text([97] + euro, 1) == "a€")
        #expect(text([97] + euro.dropLast(), 1) == "a")
        #expect(text([97] + euro.prefix(1), 1) == "a")
        #expect(text([97, 98], 1) == "ab")
        #expect(text([97] + euro.dropLast(), 1, isCut: false) == "a\u{FFFD}")
        #expect(text([97, 0, 0xac, 0x20], 2) == "a€")
        #expect(text([0, 97, 0x20, 0xac], 3) == "a€")
        // Half of a surrogate pair, and half of a unit.
        #expect(text([97, 0, 0x3d, 0xd8], 2) == "a")
        #expect(text([97, 0, 0x3d], 2) == "a")
        #expect(text([], 2) == "")
    }

    /// Returns a record as the library stores it.
    private func record(
        _ kind: UInt8,
        statement: UInt8,
        time: UInt8,
        flags: UInt8 = 1,
        _ text: [UInt8] = []
    ) throws -> ProbeRecord {
        var bytes = [UInt8](repeating: 0, count: AgentRing.recordSize)
        (bytes[0], bytes[8], bytes[12], bytes[16], bytes[18]) = (time, 7, 7, kind, flags)
        (bytes[20], bytes[24], bytes[32]) = (UInt8(text.count + 1), statement, 9)
        bytes.replaceSubrange(40..<(40 + text.count), with: text)
        return try #require(
            bytes.withUnsafeBytes {
                ProbeRecord($0, chunkSize: ProbeRecord.agentChunkSize)
            }
        )
    }

    @Test func aLostRecordMixesNoStatements() throws {
        var decoder = ExecutionDecoder { _, _ in .watched(0) }
        func execution(_ record: ProbeRecord) throws -> StatementExecution {
            guard case .execution(let execution, _, _) = decoder.decode(record) else {
                throw CancellationError()
            }
            return execution
        }
        let value: [UInt8] = [1, 5, 0, 0, 0, 0, 0, 0, 0]
        // The flag 128 marks an execution after its text.
        let text = Array("SELECT 1".utf8)
        _ = decoder.decode(try record(3, statement: 1, time: 1, Array("/db".utf8)))
        _ = decoder.decode(try record(2, statement: 1, time: 1, text))
        _ = decoder.decode(try record(10, statement: 1, time: 1, value))
        let first = try execution(record(1, statement: 1, time: 1, flags: 4 | 128))
        #expect(first.sql == "SELECT 1")
        #expect(first.values == [.integer(5)])
        // The execution to which these values belong was lost.
        _ = decoder.decode(try record(10, statement: 2, time: 2, value))
        #expect(try execution(record(1, statement: 1, time: 3, flags: 4)).values == [])
        _ = decoder.decode(try record(10, statement: 1, time: 4, value))
        #expect(try execution(record(1, statement: 1, time: 5, flags: 4)).values == [])
        // The end of these values, and the start of a text, were lost.
        let whole = [UInt8](repeating: 4, count: ProbeRecord.agentChunkSize - 1)
        _ = decoder.decode(try record(10, statement: 1, time: 6, whole))
        _ = decoder.decode(try record(2, statement: 1, time: 7, flags: 0, Array("x".utf8)))
        #expect(decoder.text(of: 1, 7) == "SELECT 1")
        // The text of another statement at the same address was lost.
        let last = try execution(record(1, statement: 1, time: 8, flags: 4 | 128))
        #expect(last.sql == nil)
        #expect(decoder.text(of: 1, 7) == nil)
    }

    @Test func countsTheStatementsOfChildren() throws {
        let code =
            Self.work + """
                import subprocess
                if len(sys.argv) == 2:
                    child = [sys.executable, "-c", sys.orig_argv[2], path + "1", "child"]
                    subprocess.run(child, check=True)
                    if os.fork() == 0:
                        work(path + "2")
                        os._exit(0)
                    os.wait()
                work(path)
                """
        let (session, executions, path) = try session(code)
        #expect(executions.count == 3 * 506)
        for suffix in ["", "1", "2"] {
            let report = session.report()[FilePath.resolved(path + suffix)]
            #expect(report?.statements.map(\.calls).reduce(0, +) == 506)
        }
    }

    @Test func reportsReplacedCallbacksAndAllDescriptorsMayBeClosed() throws {
        let code =
            Self.work + """
                os.closerange(3, 1000)
                work(path)
                c = sqlite3.connect(path)
                c.set_trace_callback(lambda text: None)
                c.execute("SELECT 1").fetchall()
                """
        let (session, executions, path) = try session(code)
        #expect(executions.count == 506)
        let notes = session.report()[FilePath.resolved(path)]?.tracing.notes ?? []
        #expect(notes.contains { $0.contains("its own trace callback on 1 connection") })
    }

    @Test func tracesOnlyTheSpecifiedDatabases() throws {
        let path = folder.file("other.sqlite")
        let code = Self.work + "work(path)\nwork('\(path)')"
        let (session, executions, _) = try session(code, paths: [path])
        #expect(executions.count == 506)
        #expect(session.report().keys.sorted() == [FilePath.resolved(path)])
    }

    /// A statement that a program does not read to its end, as `fetchone` does, remains open while the
    /// program does something else.
    @Test func theTimeOfAnAbandonedStatementEndsWithItsLastRow() throws {
        let code = """
            import time
            c = sqlite3.connect(path)
            rows = c.execute("VALUES (1), (2), (3), (4)")
            rows.fetchone()
            time.sleep(0.3)
            rows.close()
            """
        let (_, executions, _) = try session(code)
        let execution = try #require(executions.first { $0.sql?.hasPrefix("VALUES") == true })
        #expect(execution.rows ?? 4 < 4)
        #expect(try #require(execution.seconds) < 0.2)
        #expect(try #require(execution.secondsBetweenSteps) > 0.2)
    }

    /// SQLite reports the action of a foreign key as a start of the statement that causes it.
    @Test func theActionOfAForeignKeyDoesNotShortenItsStatement() throws {
        let code = """
            import time
            c = sqlite3.connect(path, isolation_level=None)
            c.create_function("pause", 1, lambda x: time.sleep(0.3) or x)
            c.execute("PRAGMA foreign_keys = ON")
            c.execute("CREATE TABLE p(id INTEGER PRIMARY KEY)")
            c.execute("CREATE TABLE c(p REFERENCES p ON DELETE SET NULL)")
            c.execute("INSERT INTO p VALUES(1)")
            c.execute("INSERT INTO c VALUES(1)")
            c.execute("DELETE FROM p WHERE pause(id)")
            """
        let (_, executions, _) = try session(code)
        let execution = try #require(executions.first { $0.sql?.hasPrefix("DELETE") == true })
        #expect(try #require(execution.seconds) > 0.29)
    }

    /// The program waits between two files, so its connection is open when the session reads it.
    @Test func readsTheSettingsOfOpenConnections() throws {
        let path = folder.file()
        let session = try AgentTraceSession(
            commands: SQLTraceCommands(calibration: [TracedPrograms.helper, "calibration"])
        )
        let program = """
            import os, sqlite3, sys, time
            path = sys.argv[1]
            c = sqlite3.connect(path, timeout=1.25)
            c.execute("PRAGMA foreign_keys = 1")
            c.execute("PRAGMA synchronous = NORMAL")
            c.execute("CREATE TABLE t(a)")
            m = sqlite3.connect(":memory:")
            m.execute("CREATE TABLE t(a)")
            open(path + "-ready", "w").close()
            while not os.path.exists(path + "-done"): time.sleep(0.001)
            """
        let process = try session.start(
            ["python3", "-c", program, path],
            library: TracedCommands.library
        )
        while access(path + "-ready", F_OK) != 0, waitpid(process, nil, WNOHANG) == 0 {
            usleep(1_000)
        }
        session.poll()
        let connections = session.watchedConnections()
        #expect(FileManager.default.createFile(atPath: path + "-done", contents: nil))
        waitpid(process, nil, 0)
        #expect(connections.count == 2)
        let settings = try #require(connections.first { $0.settings.synchronous != nil }?.settings)
        #expect(settings.busyTimeoutMilliseconds == 1_250)
        #expect(settings.synchronous == .normal)
        #expect(settings.foreignKeys == true)
    }

    @Test(
        .enabled(if: LinkedProgram.isAvailable),
        arguments: [LinkedProgram.Kind.strippedRelocatable, .strippedFixed]
    )
    func countsTheStatementsOfAStrippedCopy(kind: LinkedProgram.Kind) throws {
        let program = folder.file("program")
        try LinkedProgram.compile(kind, to: program)
        for database in [folder.file(), ":memory:"] {
            let session = try AgentTraceSession()
            let script = "printf 'CREATE TABLE t(a)\\nINSERT INTO t VALUES(1)\\nSELECT * FROM t\\n'"
            let command = ["sh", "-c", script + " | '\(program)' '\(database)' > /dev/null"]
            let process = try session.start(command, library: TracedCommands.library)
            var status: Int32 = 0
            waitpid(process, &status, 0)
            #expect(status == 0)
            #expect(session.poll().map(\.rows) == [0, 0, 1])
        }
    }

    /// The program opens a file of its own before it configures SQLite.
    ///
    /// It closes connections while they have statements, which fails or leaves them open.
    private static let unusualProgram = """
        #include <fcntl.h>
        #include <sqlite3.h>
        int main(int count, char **arguments) {
            if (open(arguments[2], O_RDWR | O_CREAT, 0600) < 0) return 1;
            if (sqlite3_config(SQLITE_CONFIG_MULTITHREAD)) return 2;
            for (int i = 0; i < 200; i++) {
                sqlite3 *connection;
                sqlite3_stmt *statement;
                if (sqlite3_open(arguments[1], &connection)) return 3;
                if (sqlite3_prepare_v2(connection, "VALUES (1), (2)", -1, &statement, 0)) return 4;
                if (sqlite3_step(statement) != SQLITE_ROW) return 5;
                int result = i % 2 ? sqlite3_close(connection) : sqlite3_close_v2(connection);
                if (result != (i % 2 ? SQLITE_BUSY : SQLITE_OK)) return 6;
                if (sqlite3_step(statement) != SQLITE_ROW) return 7;
                sqlite3_finalize(statement);
                if (i % 2 && sqlite3_close(connection)) return 8;
            }
            return 0;
        }
        """

    @Test(.enabled(if: LinkedProgram.isAvailable))
    func aProgramBehavesAsWithoutTheLibrary() throws {
        let program = folder.file("program")
        try LinkedProgram.compile(.strippedRelocatable, to: program, text: Self.unusualProgram)
        let session = try AgentTraceSession()
        let command = [program, folder.file(), folder.file("lock")]
        let process = try session.start(command, library: TracedCommands.library)
        var status: Int32 = 0
        waitpid(process, &status, 0)
        #expect(status == 0)
        #expect(session.poll().map(\.rows) == Array(repeating: 2, count: 200))
    }

    @Test func startsProgramsThatRejectTheLibraryWithoutIt() throws {
        let path = folder.file("program")
        func obstacle(_ program: [UInt8], mode: mode_t = 0o755) throws -> String? {
            try Data(program).write(to: URL(fileURLWithPath: path))
            chmod(path, mode)
            return TracedCommand([path]).obstacle(library: TracedCommands.library)
        }
        var narrow = [UInt8](repeating: 0, count: 64)
        narrow.replaceSubrange(0..<5, with: [0x7f, 0x45, 0x4c, 0x46, 1])
        #expect(try obstacle(narrow)?.hasSuffix("is a 32-bit program") == true)
        let small = SmallProgram(.fixed).bytes
        #expect(try obstacle(small)?.hasSuffix("is linked statically") == true)
        #expect(try obstacle(Array("#!/usr/bin/env python3\n".utf8)) == nil)
        #expect(TracedCommand(["python3"]).obstacle(library: nil) != nil)
        #expect(TracedCommand(["python3"]).obstacle(library: "/a b/x.so") != nil)
        #expect(TracedCommand(["python3"]).obstacle(library: TracedCommands.library) == nil)
    }
}

/// The library in the folder of the tests.
enum TracedCommands {
    static let library: String? = {
        let bundle = CommandLine.arguments.first { $0.contains(".xctest") }
        var folder = bundle.map { URL(fileURLWithPath: $0) } ?? Bundle.main.bundleURL
        while folder.path != "/" {
            let candidate = folder.appendingPathComponent("libpoolgauge_trace.so").path
            if FileManager.default.fileExists(atPath: candidate) { return candidate }
            folder.deleteLastPathComponent()
        }
        return nil
    }()

    /// Whether programs can be started with the library.
    ///
    /// If not, reading this property prints the reason.
    static var isAvailable: Bool {
        if library == nil { print("skipped: libpoolgauge_trace.so is not built") }
        return library != nil && ForeignProgram.isAvailable
    }
}
#endif
