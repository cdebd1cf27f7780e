import Foundation
import SQLiteEngine
import TestSupport
import Testing

/// Tests `poolgauge capture`, from a file to a running scenario.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct CaptureCommandTests {
    /// Calls `body` with a folder that contains a database of 100 notes.
    private func withDatabase(_ body: (URL) throws -> Void) throws {
        try withTemporaryFolder { folder in
            let path = folder.appendingPathComponent("app.sqlite").path
            let queue = try DatabaseQueue(path: path)
            try queue.write { database in
                try database.execute(
                    sql: """
                        CREATE TABLE notes (id INTEGER PRIMARY KEY, owner TEXT UNIQUE, text TEXT);
                        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
                        INSERT INTO notes SELECT i, 'secret owner ' || i, 'secret text' FROM n
                        """
                )
            }
            try queue.close()
            try body(folder)
        }
    }

    /// Two seconds of reads, and of writes that hold their transaction for 4 ms.
    private static var log: String {
        var lines: [(Double, String)] = []
        func add(_ time: Double, _ connection: String, _ sql: String, _ values: String = "") {
            lines.append(
                (
                    time,
                    #"{"time": \#(time), "connection": "\#(connection)", "sql": "\#(sql)", "#
                        + #""seconds": 0.0001, "rows": 1, "values": [\#(values)]}"#
                )
            )
        }
        for index in 0..<200 {
            let start = Double(index) * 0.01
            add(start, "r", "SELECT text FROM notes WHERE id = ?", "\(index % 100 + 1)")
            guard index.isMultiple(of: 4) else { continue }
            add(start, "w", "BEGIN IMMEDIATE")
            add(
                start + 0.004,
                "w",
                "INSERT INTO notes VALUES (?, ?, 'secret literal')",
                "\(101 + index), \"secret value \(index)\""
            )
            add(start + 0.0042, "w", "COMMIT")
        }
        return lines.sorted { $0.0 < $1.0 }.map(\.1).joined(separator: "\n") + "\n"
    }

    private func capture(
        _ log: String,
        _ arguments: [String] = [],
        in folder: URL
    ) throws -> HeadlessProgram.Outcome {
        try Data(log.utf8).write(to: folder.appendingPathComponent("log.jsonl"))
        return try HeadlessProgram.run(
            ["capture", "app.sqlite", "--from", "log.jsonl", "--output", "app.yaml"] + arguments,
            in: folder
        )
    }

    /// The exit status that the last lines of a check announce.
    private static func status(of outcome: HeadlessProgram.Outcome) -> Int32 {
        outcome.output.contains("\nnot faithful:") ? 7 : 0
    }

    @Test func aLogBecomesAScenarioThatRuns() throws {
        try withDatabase { folder in
            let outcome = try capture(Self.log, ["--check", "1s"], in: folder)
            #expect(outcome.status == Self.status(of: outcome), "\(outcome)")
            for part in [
                "wrote app.yaml: 2 operations", "transactions/s", "select-notes", "insert-notes",
            ] {
                #expect(outcome.output.contains(part), "\(outcome.output)")
            }
            let yaml = try String(
                contentsOf: folder.appendingPathComponent("app.yaml"),
                encoding: .utf8
            )
            #expect(!yaml.contains("secret") && !outcome.output.contains("secret"))
            let run = try HeadlessProgram.run(
                ["run", "./app.yaml", "--duration", "500ms", "--format", "json"],
                in: folder
            )
            #expect(!run.errors.contains("scenario"), "\(run.errors)")
            let object = try #require(
                try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
            )
            let runs = try #require(object["runs"] as? [[String: Any]])
            #expect(runs.count == 4)
            for arm in runs {
                let clients = try #require(arm["clients"] as? [String: [String: Any]])
                for (name, client) in clients {
                    #expect(
                        (client["errors"] as? [String: Any])?.isEmpty == true,
                        "\(name) \(client)"
                    )
                }
            }
        }
    }

    @Test(.enabled(if: ForeignProgram.isAvailable))
    func thePrintedTracerRecordsAProgram() throws {
        try withDatabase { folder in
            let module = try HeadlessProgram.run(
                ["capture", "--print-tracer", "python"],
                in: folder
            )
            try Data(module.output.utf8).write(
                to: folder.appendingPathComponent("poolgauge_trace.py")
            )
            let program = try ForeignProgram(folder.appendingPathComponent("app.sqlite").path)
            let log = folder.appendingPathComponent("log.jsonl").path
            try program.run(
                """
                os.environ["POOLGAUGE_TRACE"] = "\(log)"
                sys.path.insert(0, os.path.dirname(path))
                from poolgauge_trace import TracedConnection
                c = sqlite3.connect(path, factory=TracedConnection)
                for i in range(20):
                    c.execute("SELECT text FROM notes WHERE id = ?", (i + 1,)).fetchall()
                    with c: c.execute("UPDATE notes SET text = ? WHERE id = ?", ("x", i + 1))
                c.close()
                """
            )
            let outcome = try HeadlessProgram.run(
                ["capture", "app.sqlite", "--from", log, "--output", "app.yaml", "--no-check"],
                in: folder
            )
            #expect(outcome.output.hasPrefix("wrote app.yaml: 2 operations"), "\(outcome)")
        }
    }

    @Test func anExistingScenarioIsReplacedOnlyWithForce() throws {
        try withDatabase { folder in
            let file = folder.appendingPathComponent("app.yaml")
            try Data("mine".utf8).write(to: file)
            let refused = try capture(Self.log, ["--no-check"], in: folder)
            #expect(refused.status == 64 && refused.errors.contains("--force"), "\(refused)")
            #expect(try Data(contentsOf: file) == Data("mine".utf8))
            let forced = try capture(Self.log, ["--no-check", "--force"], in: folder)
            #expect(forced.status == 0, "\(forced)")
            #expect(try Data(contentsOf: file) != Data("mine".utf8))
        }
    }

    @Test(arguments: [
        ("", "log.jsonl: the file contains no statements"),
        ("{\"time\": 1, \"sql\": \"SELECT 1\"}\nnonsense\n", "log.jsonl:2: this is not JSON"),
        ("{\"time\": 1, \"sql\": \"SELECT 'open\"}\n", "log.jsonl:1: this is not an SQLite"),
        ("{\"time\": 1, \"sql\": \"SELECT * FROM gone\"}\n", "such as 'gone'"),
    ])
    func anInvalidFileIsAnErrorWithItsPosition(log: String, message: String) throws {
        try withDatabase { folder in
            let outcome = try capture(log, in: folder)
            #expect(outcome.status == 64 && outcome.errors.contains(message), "\(outcome)")
            let file = folder.appendingPathComponent("app.yaml").path
            #expect(!FileManager.default.fileExists(atPath: file))
        }
    }

    @Test(arguments: [
        (["--output", "a.yaml"], "specify the program's database"),
        (["app.sqlite", "--output", "a.yaml"], "specify --for"),
        (["app.sqlite", "--from", "x", "--for", "1s", "--output", "a.yaml"], "one of --for"),
        (
            ["app.sqlite", "--from", "missing.jsonl", "--output", "a.yaml"],
            "there is no file 'missing.jsonl'"
        ),
        (
            ["app.sqlite", "--from", "log.jsonl", "--output", "gone/a.yaml"],
            "cannot write to 'gone"
        ),
        (["app.sqlite", "--from", "log.jsonl", "--force", "--output", "."], "Is a directory"),
        (["gone.sqlite", "--from", "x", "--output", "a.yaml"], "there is no file 'gone.sqlite'"),
        (
            ["log.jsonl", "--from", "log.jsonl", "--output", "a.yaml"],
            "log.jsonl' is a text file, not an SQLite database"
        ),
    ])
    func wrongArgumentsAreErrorsWithARemedy(arguments: [String], message: String) throws {
        try withDatabase { folder in
            try Data(Self.log.utf8).write(to: folder.appendingPathComponent("log.jsonl"))
            let outcome = try HeadlessProgram.run(["capture"] + arguments, in: folder)
            #expect(outcome.status == 64 && outcome.errors.contains(message), "\(outcome)")
        }
    }

    /// The name of a table comes from the captured program and could contain control characters.
    @Test func namesArePrintedWithoutControlCharacters() throws {
        let line =
            #"{"time": 1, "sql": "SELECT * FROM \"gone\u001b[31m\u009b2J\"", "seconds": 0.001}"#
        try withDatabase { folder in
            let outcome = try capture(Self.log + line + "\n", ["--check", "1s"], in: folder)
            #expect(outcome.status == Self.status(of: outcome), "\(outcome)")
            #expect(outcome.output.contains(#"'gone\u{1b}[31m\u{9b}2J'"#), "\(outcome.output)")
            #expect(!outcome.output.contains("\u{1B}") && !outcome.output.contains("\u{9B}"))
            let refused = try capture(line, ["--force"], in: folder)
            #expect(refused.status == 64 && refused.errors.contains(#"'gone\u{1b}[31m\u{9b}2J'"#))
            #expect(!refused.errors.contains("\u{1B}"), "\(refused.errors)")
        }
    }

    #if os(Linux)
    /// Returns a queue whose transactions may remain open while the program runs.
    private func queue(in folder: URL) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        return try DatabaseQueue(
            path: folder.appendingPathComponent("app.sqlite").path,
            configuration: configuration
        )
    }

    @Test func aDatabaseThatCannotBeCopiedIsAnErrorWithARemedy() throws {
        try withDatabase { folder in
            let queue = try queue(in: folder)
            try queue.writeWithoutTransaction { try $0.execute(sql: "BEGIN EXCLUSIVE") }
            let outcome = try capture(Self.log, in: folder)
            try queue.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
            #expect(outcome.status == 1, "\(outcome)")
            #expect(outcome.errors.contains("a transaction is writing to it"), "\(outcome.errors)")
            #expect(outcome.errors.contains("Try again"), "\(outcome.errors)")
            // The copy must be removed.
            #expect(!contents(of: folder).contains { $0.hasPrefix("poolgauge-") })
        }
    }

    private static let strace = "/usr/bin/strace"

    /// The capture and the check read the database once, without writing to it or locking it.
    @Test(
        .enabled(if: FileManager.default.isExecutableFile(atPath: strace), "strace is missing"),
        arguments: ["WAL", "DELETE"]
    )
    func theDatabaseIsNeitherWrittenNorLocked(mode: String) throws {
        try withDatabase { folder in
            let queue = try queue(in: folder)
            try queue.writeWithoutTransaction { database in
                try database.execute(sql: "PRAGMA journal_mode = \(mode)")
                try database.execute(sql: "INSERT INTO notes VALUES (1001, 'log', '')")
                try database.execute(sql: "BEGIN IMMEDIATE")
            }
            let path = folder.appendingPathComponent("app.sqlite").path
            let trace = folder.appendingPathComponent("trace").path
            let log = folder.appendingPathComponent("log.jsonl").path
            try Data(Self.log.utf8).write(to: URL(fileURLWithPath: log))
            let process = Process()
            process.executableURL = URL(fileURLWithPath: Self.strace)
            process.arguments = [
                "-f", "-y", "-o", trace, "-e", "trace=open,openat,fcntl,pwrite64,ftruncate",
                Program.path, "capture", path, "--from", log, "--check", "1s", "--output",
                folder.appendingPathComponent("app.yaml").path,
            ]
            process.environment = Program.environment(temporary: folder)
            let output = Pipe()
            process.standardOutput = output
            try process.run()
            let text = try output.fileHandleForReading.readToEnd() ?? Data()
            process.waitUntilExit()
            // A sandbox may forbid tracing.
            guard process.terminationStatus == 0 else { return }
            #expect(String(decoding: text, as: UTF8.self).contains("replayed"))
            let lines = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n")
            let databaseLines = lines.filter { line in
                ["", "-wal", "-shm", "-journal"].contains { suffix in
                    line.contains("\"\(path)\(suffix)\"") || line.contains("<\(path)\(suffix)>")
                } && !line.contains("execve(") && !line.contains(" resumed>")
            }
            #expect(!databaseLines.isEmpty)
            #expect(
                databaseLines.allSatisfy { line in
                    line.contains("F_GETLK") || line.contains("F_OFD_GETLK")
                        || line.contains("O_RDONLY") && !line.contains("O_CREAT")
                        || line.contains("F_GETF") || line.contains("F_SETFD")
                },
                "\(databaseLines.filter { $0.contains("SETLK") || $0.contains("O_RDWR") }.prefix(5))"
            )
            try queue.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
            try queue.close()
        }
    }
    #endif
}
