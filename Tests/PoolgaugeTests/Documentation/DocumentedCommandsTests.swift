import Foundation
import SQLiteEngine
import Synchronization
import TestSupport
import Testing

/// Tests that every command in the README and in `docs` runs.
///
/// Commands that take a long time are interrupted. They then report what they have measured.
@Suite(.timeLimit(.minutes(10)), .serialized)
struct DocumentedCommandsTests {
    /// The time in seconds after which a command is interrupted.
    private static let limit = 0.5
    /// The exit statuses of a command that ran.
    ///
    /// The command passed, found a regression, missed a threshold, had an invalid or undecided
    /// result on a busy machine, or was interrupted.
    private static let statuses: Set<Int32> = [0, 2, 3, 5, 6, 130]

    /// Commands that fail without a prerequisite, and a part of their error message.
    private static let expectedFailures: [(command: String, message: String)] = [
        ("poolgauge dashboard", "the dashboard needs a terminal"),
        ("poolgauge top --sql", "requires a database file"),
        // The recording of this test contains a run, and not the statements of a program.
        ("poolgauge capture --from night.rec", "a recording of a run"),
        ("poolgauge capture", "root"),
        ("poolgauge export app", "no agent"), ("poolgauge", "the port is in use"),
        ("poolgauge attach app", "no agent"), ("poolgauge attach orders", "no agent"),
        ("poolgauge record app.sqlite --on busy", "requires the SQL of the programs"),
        ("poolgauge record orders", "no agent"), ("poolgauge replay", "needs a terminal"),
        ("poolgauge compare reader-storm --arms pool,grdb-pool", "built without GRDB"),
    ]

    /// Creates the files that the pages use: the README's scenario, a database, and recorded runs.
    private func createFiles(in folder: URL) throws {
        let readme = try Documentation.text(of: "README.md")
        let scenario = try #require(readme.firstMatch(of: /```yaml\n([^`]*)```/)).1
        for name in ["inbox.yaml", "mine.yaml"] {
            try Data(scenario.utf8).write(to: folder.appendingPathComponent(name))
        }
        for name in ["migration.sql", "purge.sql"] {
            try Data("DELETE FROM mail WHERE folder = 1".utf8)
                .write(to: folder.appendingPathComponent(name))
        }
        // These files represent the builds of an earlier version.
        for path in ["old", "old/.build/release"] {
            let builds = folder.appendingPathComponent(path)
            try FileManager.default.createDirectory(at: builds, withIntermediateDirectories: true)
            try FileManager.default.createSymbolicLink(
                at: builds.appendingPathComponent("poolgauge"),
                withDestinationURL: URL(fileURLWithPath: Program.path)
            )
        }
        let data = folder.appendingPathComponent("data")
        try FileManager.default.createDirectory(at: data, withIntermediateDirectories: true)
        for file in ["app.sqlite", "data/shop.sqlite"] {
            let queue = try DatabaseQueue(path: folder.appendingPathComponent(file).path)
            try queue.write { db in
                try db.execute(
                    sql: """
                        CREATE TABLE t (id INTEGER PRIMARY KEY, text);
                        CREATE TABLE orders (id INTEGER PRIMARY KEY, customer, state);
                        CREATE TABLE mail (id INTEGER PRIMARY KEY, folder, subject);
                        WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 2000)
                        INSERT INTO orders SELECT n, n % 50, 'new' FROM number;
                        INSERT INTO t SELECT id, state FROM orders;
                        INSERT INTO mail SELECT id, id % 20, state FROM orders;
                        """
                )
            }
            try queue.close()
        }
        for (name, scenario) in [("run.json", "ycsb-c"), ("storm.json", "reader-storm")] {
            let result = try HeadlessProgram.run(
                [
                    "run", scenario, "--arm", "pool", "--duration", "2s", "--format", "json",
                    "--output", name,
                ] + (scenario == "ycsb-c" ? [] : ["--record", "storm.rec"]),
                in: folder
            )
            #expect(Self.statuses.contains(result.status), "\(result.errors)")
        }
        for name in ["night.rec", "quiet.rec"] {
            try FileManager.default.copyItem(
                at: folder.appendingPathComponent("storm.rec"),
                to: folder.appendingPathComponent(name)
            )
        }
        let episodes = folder.appendingPathComponent("episodes")
        try FileManager.default.createDirectory(at: episodes, withIntermediateDirectories: true)
        try FileManager.default.copyItem(
            at: folder.appendingPathComponent("storm.rec"),
            to: episodes.appendingPathComponent("app.sqlite-2026-11-26-021305.recording")
        )
    }

    /// An error for a command that did not run.
    private struct Failure: Error, CustomStringConvertible {
        var description: String
        init(_ description: String) { self.description = description }
    }

    /// Runs a command and checks its exit status.
    private func run(_ arguments: [String], of page: String, in folder: URL) throws {
        let result = try HeadlessProgram.run(arguments, in: folder, interruptingAfter: Self.limit)
        if Self.statuses.contains(result.status) { return }
        let command = (["poolgauge"] + arguments).joined(separator: " ")
        let isExpected = Self.expectedFailures.contains { condition in
            command.hasPrefix(condition.command) && result.errors.contains(condition.message)
        }
        if !isExpected { throw Failure("\(page): \(command): \(result.status) \(result.errors)") }
    }

    /// Each command runs in its own copy of the files.
    ///
    /// Several commands run simultaneously, because most of them spend their time waiting.
    @Test func everyCommandRuns() throws {
        try withTemporaryFolder { folder in
            let template = folder.appendingPathComponent("template")
            try FileManager.default.createDirectory(
                at: template,
                withIntermediateDirectories: true
            )
            try createFiles(in: template)
            let failures = Mutex<[any Error]>([])
            let queue = OperationQueue()
            queue.maxConcurrentOperationCount = 4
            var count = 0
            for page in Documentation.pages {
                for command in try Documentation.commands(of: page) {
                    guard let arguments = Documentation.arguments(command) else { continue }
                    // `Tests/Checks` runs test suites, of which some are not installed.
                    if command.hasPrefix("poolgauge check") { continue }
                    count += 1
                    let copy = folder.appendingPathComponent("\(count)")
                    queue.addOperation {
                        do {
                            try FileManager.default.copyItem(at: template, to: copy)
                            try run(arguments, of: page, in: copy)
                        } catch {
                            failures.withLock { $0.append(error) }
                        }
                    }
                }
            }
            queue.waitUntilAllOperationsAreFinished()
            for failure in failures.withLock({ $0 }) { Issue.record("\(failure)") }
            #expect(count > 40)
        }
    }
}
