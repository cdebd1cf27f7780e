import Foundation
import TestSupport
import Testing

/// Tests the real program without a terminal.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct RunCommandTests {
    private let quick = ["run", "ycsb-c", "--scale", "1", "--arm", "pool"]

    @Test
    func standardOutputContainsOnlyTheJSON() throws {
        try withTemporaryFolder { folder in
            let outcome = try HeadlessProgram.run(
                quick + ["--duration", "500ms", "--format", "json"],
                in: folder
            )
            let result = try #require(
                try JSONSerialization.jsonObject(with: Data(outcome.output.utf8))
                    as? [String: Any]
            )
            #expect(result["schema"] as? String == "poolgauge.run/2")
            let runs = try #require(result["runs"] as? [[String: Any]])
            #expect(runs.map { $0["arm"] as? String } == ["pool"])
            #expect(runs.first?["partial"] as? Bool == false)
            #expect(outcome.errors.isEmpty)
            #expect(contents(of: folder).isEmpty)
        }
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func anInterruptedRunReportsItsResults(signal: Int32) throws {
        try withTemporaryFolder { folder in
            let outcome = try HeadlessProgram.run(
                quick + ["--duration", "10m", "--format", "json", "--progress", "always"],
                in: folder,
                sending: (signal, "steady")
            )
            #expect(outcome.status == 128 + signal)
            let result = try #require(
                try JSONSerialization.jsonObject(with: Data(outcome.output.utf8))
                    as? [String: Any]
            )
            let runs = try #require(result["runs"] as? [[String: Any]])
            #expect(runs.first?["partial"] as? Bool == true)
            #expect(contents(of: folder).isEmpty)
        }
    }

    @Test
    func aClosedPipeCausesNoMessage() throws {
        try withTemporaryFolder { folder in
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/bin/bash")
            process.arguments = [
                "-c", #""$0" scenarios show ycsb-a | true; exit "${PIPESTATUS[0]}""#, Program.path,
            ]
            process.environment = Program.environment(temporary: folder)
            process.standardInput = FileHandle.nullDevice
            let errors = Pipe()
            process.standardError = errors
            process.standardOutput = FileHandle.nullDevice
            try process.run()
            let messages = errors.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            // `true` may end before or after the program writes its first byte.
            #expect([0, 141].contains(process.terminationStatus))
            #expect(messages.isEmpty)
        }
    }

    @Test
    func theReportIsWrittenToTheSpecifiedFile() throws {
        try withTemporaryFolder { folder in
            let outcome = try HeadlessProgram.run(
                quick + ["--duration", "300ms", "--output", "report.txt"],
                in: folder
            )
            #expect(outcome.output.isEmpty)
            let file = folder.appendingPathComponent("report.txt")
            let report = try String(contentsOf: file, encoding: .utf8)
            #expect(report.contains("ycsb-c on pool"))
        }
    }

    @Test
    func theKeptFolderIsReportedWithoutProgress() throws {
        try withTemporaryFolder { folder in
            let outcome = try HeadlessProgram.run(
                quick + ["--duration", "1s", "--keep"],
                in: folder
            )
            #expect(outcome.status == 0)
            #expect(outcome.errors.contains("the database remains in "))
            #expect(contents(of: folder).contains { outcome.errors.contains($0) })
        }
    }

    @Test
    func aStatementThatCannotBePreparedEndsTheRun() throws {
        try withTemporaryFolder { folder in
            let yaml = """
                version: 1
                name: mine
                dataset: {sql: [CREATE TABLE item (id INTEGER)]}
                arms: {pool: {type: pool}}
                phases: [{name: steady, duration: 1s}]
                clients: {list: {access: read, sql: SELECT * FROM itme}}
                """
            let file = folder.appendingPathComponent("mine.yaml")
            try yaml.write(to: file, atomically: true, encoding: .utf8)
            let outcome = try HeadlessProgram.run(["run", "mine.yaml"], in: folder)
            #expect(outcome.status == 64)
            #expect(outcome.output.isEmpty)
            #expect(outcome.errors.contains("client 'list'"))
            #expect(outcome.errors.contains("mine.yaml:6:"))
            #expect(outcome.errors.contains("no such table: itme"))
            let setting = "clients.list.sql=SELECT FROM"
            let changed = try HeadlessProgram.run(
                ["run", "mine.yaml", "--set", setting],
                in: folder
            )
            #expect(changed.status == 64)
            #expect(changed.errors.contains("--set '\(setting)': client 'list': "), "\(changed)")
            #expect(!changed.errors.contains("mine.yaml"), "\(changed)")
        }
    }

    @Test func aFailedStatementOfTheDatasetIsReportedAtItsPosition() throws {
        try withTemporaryFolder { folder in
            let yaml = """
                version: 1
                name: mine
                dataset:
                  sql:
                    - CREATE TABLE item (id INTEGER)
                    - CREATE INDEX item_id ON item (idd)
                arms: {pool: {type: pool}}
                phases: [{name: steady, duration: 1s}]
                clients: {list: {access: read, sql: SELECT * FROM item}}
                """
            let file = folder.appendingPathComponent("mine.yaml")
            try yaml.write(to: file, atomically: true, encoding: .utf8)
            let outcome = try HeadlessProgram.run(["run", "mine.yaml"], in: folder)
            #expect(outcome.status == 1)
            #expect(
                outcome.errors.contains(
                    "mine.yaml:6:7: the dataset's statement 'CREATE INDEX item_id ON item (idd)' "
                        + "failed: no such column: idd"
                ),
                "\(outcome)"
            )
            #expect(!outcome.errors.contains("while executing"))
        }
    }

    /// Arguments, and strings that the error message must contain.
    private static let mistakes: [([String], String)] = [
        (["run", "ycsb-x"], "ycsb-"),
        (["run", "ycsb-c", "--arm", "poool"], "'pool'"),
        (["run", "ycsb-c", "--arms", "queue,poool"], "'pool'"),
        (["capacity", "ycsb-c", "--arm", "poool"], "'pool'"),
        (["compare", "ycsb-c", "--sweep", "readers=1,2", "--arms", "queue,poool"], "'pool'"),
        (["run", "ycsb-c", "--duration", "5"], "no unit"),
        (["run", "ycsb-c", "--duration", "0s"], "longer than 0"),
        (["run", "ycsb-c", "--readers", "0"], "readers"),
        (["run", "ycsb-c", "--readers", "5000"], "must be from 1 to 1000, not '5000'"),
        (["run", "ycsb-c", "--output", "no/such/folder"], "no/such/folder"),
        (["compare", "ycsb-c", "--arms", "pool"], "two arms"),
        (["compare", "ycsb-c", "--arms", "pool,quue"], "'queue'"),
        (["compare", "ycsb-c", "--arms", ","], "contains no name"),
        (["dashboard", "--theme", "drak"], "'dark'"),
        (["dashboard", "--screenshot", "picture.gif"], ".svg"),
        (["dashboard", "--size", "80x24"], "--screenshot"),
        (["dashboard", "--press", "<Entre>"], "Enter"),
        (["dashboard"], "poolgauge run"),
        (["dashboard", "--refresh", "0"], "--refresh must be"),
        (
            ["dashboard", "--screenshot", "a.svg", "--output", "b"],
            "--screenshot cannot be combined"
        ),
        (["themes", "preview", "drakula"], "'dracula'"),
        (["scenarios", "validate", "absent.yaml"], "absent.yaml"),
    ]

    @Test(arguments: mistakes)
    func mistakesAreExplainedAndHaveAStatus(arguments: [String], expected: String) throws {
        try withTemporaryFolder { folder in
            let outcome = try HeadlessProgram.run(arguments, in: folder)
            #expect(outcome.status == 64)
            #expect(outcome.output.isEmpty)
            #expect(outcome.errors.contains(expected), "\(outcome.errors)")
        }
    }

    @Test
    func everyErrorInAScenarioIsShownWithItsPosition() throws {
        try withTemporaryFolder { folder in
            let file = folder.appendingPathComponent("mine.yaml")
            let yaml = try HeadlessProgram.run(["scenarios", "show", "ycsb-c"], in: folder).output
                .replacingOccurrences(of: "drain: 2s", with: "drian: 2s\nsede: 1")
            try yaml.write(to: file, atomically: true, encoding: .utf8)
            let outcome = try HeadlessProgram.run(
                ["scenarios", "validate", "mine.yaml"],
                in: folder
            )
            #expect(outcome.status == 64)
            #expect(outcome.errors.contains("mine.yaml:"))
            #expect(outcome.errors.contains("drain"))
            #expect(outcome.errors.contains("seed"))
        }
    }

    @Test
    func comparingReportsEveryArm() throws {
        try withTemporaryFolder { folder in
            let outcome = try HeadlessProgram.run(
                [
                    "compare", "ycsb-c", "--scale", "1", "--arms", "pool,queue", "--blocks", "7",
                    "--duration", "200ms", "--progress", "never",
                ],
                in: folder
            )
            #expect(outcome.output.contains("queue"))
            #expect(outcome.output.contains("pool"))
            #expect(outcome.errors.isEmpty)
            #expect(contents(of: folder).isEmpty)
        }
    }

    @Test(arguments: ["picture.txt", "picture.ans", "picture.svg"])
    func aPictureNeedsNoTerminal(name: String) throws {
        try withTemporaryFolder { folder in
            let outcome = try HeadlessProgram.run(
                [
                    "dashboard", "ycsb-c", "--scale", "1", "--screenshot", name, "--after", "300ms",
                    "--size", "80x24", "--press", "t",
                ],
                in: folder
            )
            #expect(outcome.status == 0)
            #expect(outcome.errors.isEmpty)
            #expect(contents(of: folder) == [name])
            let file = folder.appendingPathComponent(name)
            let picture = try String(contentsOf: file, encoding: .utf8)
            #expect(picture.contains("ycsb-c"))
            #expect(picture.hasPrefix("<svg") == name.hasSuffix(".svg"))
        }
    }
}
