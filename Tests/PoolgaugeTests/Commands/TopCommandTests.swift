#if os(Linux)
import Findings
import Foundation
import SQLiteEngine
import SQLiteWatch
import TestSupport
import Testing

/// Tests `poolgauge top` on a database that this process uses.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct TopCommandTests {
    /// Calls `body` with a pool after its first write, and with the folder that contains its file.
    private func withPool(_ body: (DatabasePool, URL) throws -> Void) throws {
        try withTemporaryFolder { folder in
            let pool = try DatabasePool(path: folder.appendingPathComponent("app.sqlite").path)
            try pool.write { try $0.execute(sql: "CREATE TABLE t(x)") }
            try body(pool, folder)
        }
    }

    private func top(_ arguments: [String], in folder: URL) throws -> HeadlessProgram.Outcome {
        try HeadlessProgram.run(["top", "app.sqlite"] + arguments, in: folder)
    }

    @Test func aWriterIsShownWithItsLock() throws {
        try withPool { pool, folder in
            try pool.write { database in
                try database.execute(sql: "INSERT INTO t VALUES (1)")
                let outcome = try top(["--format", "json", "--for", "300ms"], in: folder)
                #expect(outcome.status == 0, "\(outcome)")
                let report = try JSONDecoder().decode(
                    WatchReport.self,
                    from: Data(outcome.output.utf8)
                )
                #expect(report.schema == "poolgauge.watch/1")
                #expect(report.processes.map(\.pid) == [getpid()])
                #expect(report.processes.first?.locks.map(\.kind).contains(.writer) == true)
                #expect(report.processes.first?.share.writer.value == 1)
                let text = try top(["--once", "--for", "300ms"], in: folder).output
                // This process runs, so samples do not prove that it holds the lock continuously.
                #expect(text.contains("writer ~ ") || text.contains("writer ≥ "))
                #expect(text.contains(String(getpid())))
            }
        }
    }

    @Test func eachLineOfAFollowedDatabaseIsAReport() throws {
        try withPool { _, folder in
            let outcome = try top(
                ["--follow", "--for", "400ms", "--interval", "200ms"],
                in: folder
            )
            #expect(outcome.status == 0, "\(outcome)")
            let lines = outcome.output.split(separator: "\n")
            #expect(lines.count == 2)
            for line in lines {
                _ = try JSONDecoder().decode(WatchReport.self, from: Data(line.utf8))
            }
        }
    }

    @Test func aConditionDeterminesTheStatus() throws {
        try withPool { pool, folder in
            let unmet = try top(
                ["--watch-for", "writer > 100ms", "--timeout", "300ms", "--interval", "100ms"],
                in: folder
            )
            #expect(unmet.status == 3, "\(unmet)")
            #expect(unmet.output.isEmpty)
            try pool.writeWithoutTransaction { database in
                try database.execute(sql: "BEGIN IMMEDIATE")
                let met = try top(
                    ["--watch-for", "writer > 100ms", "--timeout", "30s", "--interval", "200ms"],
                    in: folder
                )
                #expect(met.status == 0, "\(met)")
                #expect(met.output.contains("writer ~ ") || met.output.contains("writer ≥ "))
                try database.execute(sql: "ROLLBACK")
            }
        }
    }

    @Test func withoutAFileTheOpenDatabasesAreListed() throws {
        try withPool { _, folder in
            let path = folder.appendingPathComponent("app.sqlite").path
            let text = try HeadlessProgram.run(["top", "--for", "300ms"], in: folder)
            #expect(text.status == 0, "\(text)")
            #expect(text.output.contains(path))
            let json = try HeadlessProgram.run(
                ["top", "--format", "json", "--for", "300ms"],
                in: folder
            )
            let list = try JSONDecoder().decode(
                WatchedDatabaseList.self,
                from: Data(json.output.utf8)
            )
            #expect(list.schema == "poolgauge.databases/1")
            let entry = list.databases.first { $0.path == path }
            #expect(entry?.journalMode == .wal)
            #expect(entry?.processes.map(\.pid) == [getpid()])
        }
    }

    @Test func aFolderSelectsItsDatabases() throws {
        try withPool { _, folder in
            let outcome = try HeadlessProgram.run(
                ["top", ".", "--once", "--for", "200ms"],
                in: folder
            )
            #expect(outcome.status == 0, "\(outcome)")
            #expect(outcome.output.contains("app.sqlite"))
            #expect(outcome.output.contains(String(getpid())))
        }
    }

    private static let mistakes: [([String], String)] = [
        (["top", "absent.sqlite"], "absent.sqlite"),
        (["top", "--sql", "--once"], "a report with --sql requires a database file"),
        (["top", "text"], "not an SQLite database"),
        (["top", "."], "there is no SQLite database that this user can read in '.'"),
        (["top", "x", "--once", "--theme", "light"], "dashboard"),
        (["top", "x", "--screenshot", "x.gif"], ".svg"),
        (["top", "x", "--once", "--follow"], "--follow"),
        (["top", "x", "--timeout", "1s"], "--watch-for"),
        (["top", "x", "--watch-for", "pin"], "pin > 30s"),
        (["top", "x", "--watch-for", "pen > 30s"], "writer.share"),
        (["top", "x", "--watch-for", "pin > 30"], "30s"),
        (["top", "x", "--watch-for", "waiting > -1"], "whole number"),
    ]

    @Test(arguments: mistakes)
    func mistakesAreReported(arguments: [String], expected: String) throws {
        try withTemporaryFolder { folder in
            try Data("no database".utf8).write(to: folder.appendingPathComponent("text"))
            let outcome = try HeadlessProgram.run(arguments, in: folder)
            #expect(outcome.status == 64, "\(outcome)")
            #expect(outcome.output.isEmpty)
            #expect(outcome.errors.contains(expected), "\(outcome.errors)")
        }
    }
}
#endif
