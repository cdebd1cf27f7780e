import Foundation
import Scenarios
import TestSupport
import Testing

/// Tests `poolgauge scenarios`, and scenarios that are read from a pipe.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct ScenariosCommandTests {
    @Test
    func theSchemaIsPrinted() throws {
        try withTemporaryFolder { folder in
            let outcome = try HeadlessProgram.run(["scenarios", "schema"], in: folder)
            #expect(outcome.status == 0)
            #expect(outcome.output == ScenarioSchema.json)
            #expect(outcome.errors.isEmpty)
            let text = try HeadlessProgram.run(["scenarios", "schema", "--markdown"], in: folder)
            #expect(text.output.hasPrefix("## scenario\n"))
            #expect(text.output.contains("| **dataset** | [dataset](#dataset) |"))
        }
    }

    @Test
    func thePresetsAreListedShownAndValid() throws {
        try withTemporaryFolder { folder in
            let list = try HeadlessProgram.run(["scenarios", "list"], in: folder).output
            let names = list.split(separator: "\n").filter { !$0.hasPrefix(" ") }.map(String.init)
            #expect(names == Presets.all.map(\.name))
            let outcome = try HeadlessProgram.run(["scenarios", "validate"] + names, in: folder)
            #expect(outcome.status == 0)
            #expect(outcome.output.split(separator: "\n").count == names.count)
            let checked = try HeadlessProgram.run(["scenarios", "check", names[0]], in: folder)
            #expect(checked.status == 0 && checked.output.hasPrefix("\(names[0]): valid"))
            let shown = try HeadlessProgram.run(["scenarios", "show", names[0]], in: folder)
            #expect(shown.output == Presets.all[0].yaml)
        }
    }

    @Test
    func aStatementThatCannotBePreparedIsReportedWithItsPosition() throws {
        try withTemporaryFolder { folder in
            let file = folder.appendingPathComponent("mine.yaml")
            let yaml = try #require(Presets.named("ycsb-c")).yaml
                .replacing("use: ycsb-read", with: "sql: SELECT FEILD1 FROM usertable")
            try yaml.write(to: file, atomically: true, encoding: .utf8)
            let outcome = try HeadlessProgram.run(
                ["scenarios", "validate", "mine.yaml"],
                in: folder
            )
            #expect(outcome.status == 64)
            let pattern = /mine\.yaml:\d+:\d+: 'SELECT FEILD1 FROM usertable' of client 'read' .*/
            #expect(outcome.errors.firstMatch(of: pattern) != nil, "\(outcome.errors)")
            #expect(outcome.errors.contains("did you mean 'FIELD1'?"))
            #expect(contents(of: folder) == ["mine.yaml"])
        }
    }

    @Test(arguments: ["-", "/dev/stdin"])
    func aScenarioIsReadFromAPipe(name: String) throws {
        try withTemporaryFolder { folder in
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/bin/bash")
            process.arguments = [
                "-c",
                #""$0" scenarios show ycsb-c | "$0" run "$1" --duration 1s --arm pool --scale 1"#,
                Program.path, name,
            ]
            process.environment = Program.environment(temporary: folder)
            process.currentDirectoryURL = folder
            let output = Pipe()
            process.standardOutput = output
            process.standardError = FileHandle.nullDevice
            try process.run()
            let text = String(
                decoding: output.fileHandleForReading.readDataToEndOfFile(),
                as: UTF8.self
            )
            process.waitUntilExit()
            // A busy machine may make the run invalid, which is status 5.
            #expect([0, 5].contains(process.terminationStatus))
            #expect(text.contains("ycsb-c on pool"))
        }
    }
}
