import Foundation
import SQLiteEngine
import TestSupport
import Testing

/// Tests `--database` on every command that runs a load.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct DatabaseOptionTests {
    /// Creates a user's database, and a scenario whose dataset does not contain the database's
    /// table.
    private func prepare(in folder: URL) throws -> URL {
        let database = folder.appendingPathComponent("mine.sqlite")
        let queue = try DatabaseQueue(path: database.path)
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE own (n INTEGER); INSERT INTO own VALUES (1)")
        }
        try queue.close()
        let yaml = """
            version: 1
            name: mine
            dataset: {sql: [CREATE TABLE other (n INTEGER)]}
            arms: {queue: {type: queue}, pool: {type: pool}}
            phases: [{name: steady, duration: 1s}]
            drain: 1s
            clients:
              ui: {access: write, arrival: {rate: 100/s}, sql: UPDATE own SET n = n + 1}
            """
        let file = folder.appendingPathComponent("mine.yaml")
        try yaml.write(to: file, atomically: true, encoding: .utf8)
        return database
    }

    private static let commands: [[String]] = [
        ["run", "mine.yaml", "--arm", "pool"],
        ["compare", "mine.yaml", "--arms", "queue,pool", "--blocks", "6", "--duration", "200ms"],
        [
            "capacity", "mine.yaml", "--arms", "pool", "--within", "4s", "--duration", "300ms",
            "--p99", "10s",
        ],
        [
            "compare", "mine.yaml", "--sweep", "readers=1,2", "--duration", "300ms", "--primary",
            "ui.response.mean",
        ],
        [
            "dashboard", "mine.yaml", "--screenshot", "picture.txt", "--after", "3s", "--duration",
            "6s",
        ],
    ]

    @Test(arguments: commands)
    func theDatabaseIsCopied(arguments: [String]) throws {
        try withTemporaryFolder { folder in
            let database = try prepare(in: folder)
            let before = try Data(contentsOf: database)
            let outcome = try HeadlessProgram.run(
                arguments + ["--database", "mine.sqlite"],
                in: folder
            )
            // Status 6 means that the search ended early. Status 5 means that the machine was too
            // busy.
            #expect([0, 3, 5, 6].contains(outcome.status), "\(outcome)")
            #expect(!outcome.errors.contains("no such table"), "\(outcome)")
            if arguments.contains("picture.txt") {
                // The screen shows no rate if a run cannot start.
                let picture = folder.appendingPathComponent("picture.txt")
                #expect(try String(contentsOf: picture, encoding: .utf8).contains("accesses/s"))
            }
            #expect(try Data(contentsOf: database) == before)
            let remainingFiles = Set(contents(of: folder)).subtracting(["picture.txt"])
            #expect(remainingFiles == ["mine.sqlite", "mine.yaml"])
        }
    }

    @Test(arguments: [
        ["run", "mine.yaml", "--database", "mine.sqlite", "--arm", "queue"],
        ["run", "own.yaml", "--arm", "queue"],
        ["try", "--database", "mine.sqlite", "--read", "SELECT * FROM own", "--duration", "300ms"],
        ["scenarios", "new", "--database", "mine.sqlite"],
    ])
    func theSizeOfACopyIsReportedFirst(arguments: [String]) throws {
        try withTemporaryFolder { folder in
            let database = try prepare(in: folder)
            let copying = try String(
                contentsOf: folder.appendingPathComponent("mine.yaml"),
                encoding: .utf8
            ).replacing("{sql: [CREATE TABLE other (n INTEGER)]}", with: "{file: mine.sqlite}")
            try copying.write(
                to: folder.appendingPathComponent("own.yaml"),
                atomically: true,
                encoding: .utf8
            )
            let size = try Data(contentsOf: database).count / 1024
            let outcome = try HeadlessProgram.run(
                arguments + ["--progress", "always"],
                in: folder
            )
            #expect([0, 5].contains(outcome.status), "\(outcome)")
            let first = outcome.errors.split(separator: "\n").first { !$0.contains("preparing") }
            #expect(
                first?.hasPrefix("copying mine.sqlite (\(size).00 KiB)") == true,
                "\(outcome.errors)"
            )
        }
    }

    @Test(arguments: [
        ["run", "mine.yaml", "--database", "text"],
        ["compare", "mine.yaml", "--database", "text"],
        ["try", "--database", "text", "--read", "SELECT 1"],
    ])
    func aFileThatIsNotADatabaseIsRejected(arguments: [String]) throws {
        try withTemporaryFolder { folder in
            _ = try prepare(in: folder)
            try Data("no database".utf8).write(to: folder.appendingPathComponent("text"))
            let outcome = try HeadlessProgram.run(arguments, in: folder)
            #expect(outcome.status == 64)
            #expect(
                outcome.errors.contains(
                    "--database: 'text' is a text file, not an SQLite database; check the path"
                ),
                "\(outcome)"
            )
        }
    }

    @Test(arguments: ["run", "compare", "capacity", "dashboard", "advise"])
    func aPresetNeedsItsOwnData(command: String) throws {
        try withTemporaryFolder { folder in
            _ = try prepare(in: folder)
            var arguments = [command, "ycsb-c", "--database", "mine.sqlite"]
            if command == "dashboard" { arguments += ["--screenshot", "picture.txt"] }
            let outcome = try HeadlessProgram.run(arguments, in: folder)
            #expect(outcome.status == 64)
            #expect(
                outcome.errors.contains("'ycsb-c' is a preset, which works only with its own data")
            )
        }
    }

    /// The error names the program that holds the lock, even if that program is not the `sqlite3`
    /// shell.
    @Test func theHolderOfALockedDatabaseIsReported() throws {
        try withTemporaryFolder { folder in
            let database = try prepare(in: folder)
            let holder = Process()
            holder.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            holder.arguments = [
                "python3", "-c",
                """
                import sqlite3, sys
                db = sqlite3.connect(sys.argv[1], isolation_level=None)
                db.execute('BEGIN EXCLUSIVE')
                print('held', flush=True)
                sys.stdin.read()
                """, database.path,
            ]
            let (input, output) = (Pipe(), Pipe())
            holder.standardInput = input
            holder.standardOutput = output
            try holder.run()
            defer {
                try? input.fileHandleForWriting.close()
                holder.waitUntilExit()
            }
            #expect(!output.fileHandleForReading.availableData.isEmpty)
            let outcome = try HeadlessProgram.run(
                ["run", "mine.yaml", "--arm", "queue", "--set", "arms.queue.busy-timeout=300ms"]
                    + ["--database", "mine.sqlite", "--in-place"],
                in: folder
            )
            #expect(outcome.status == 1, "\(outcome)")
            #expect(outcome.errors.contains("it was locked by python3"))
            #expect(
                outcome.errors.contains("(process \(holder.processIdentifier)) for 300 ms")
            )
        }
    }

    @Test(
        arguments: [
            ["run", "mine.yaml", "--arm", "queue"],
            ["run", "mine.yaml", "--arm", "queue", "--in-place"],
            ["compare", "mine.yaml"], ["try", "--read", "SELECT * FROM own"], ["scenarios", "new"],
        ]
    )
    func aDamagedDatabaseIsReportedWithARemedy(arguments: [String]) throws {
        try withTemporaryFolder { folder in
            let database = try prepare(in: folder)
            var bytes = try Data(contentsOf: database)
            // The byte after the header is the type of the schema's root page.
            bytes[100] = 0
            try bytes.write(to: database)
            let outcome = try HeadlessProgram.run(
                arguments + ["--database", "mine.sqlite"],
                in: folder
            )
            #expect(outcome.status != 0)
            #expect(
                outcome.errors.contains(
                    "'mine.sqlite' is damaged (SQLite error 11: database disk image is malformed); "
                        + "restore it from a backup"
                ),
                "\(outcome)"
            )
        }
    }

    @Test(arguments: ["compare", "capacity", "advise"])
    func repeatedRunsAreRejectedInPlace(command: String) throws {
        try withTemporaryFolder { folder in
            _ = try prepare(in: folder)
            let outcome = try HeadlessProgram.run(
                [command, "mine.yaml", "--database", "mine.sqlite", "--in-place"],
                in: folder
            )
            #expect(outcome.status == 64)
            #expect(outcome.errors.contains("--in-place works only with 'poolgauge run'"))
        }
    }
}
