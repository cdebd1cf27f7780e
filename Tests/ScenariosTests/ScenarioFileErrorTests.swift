import Foundation
import Scenarios
import TestSupport
import Testing

/// Tests errors that concern a whole scenario file.
struct ScenarioFileErrorTests {
    @Test func theUnchangedScenarioIsValid() throws {
        _ = try Scenario.parse(yaml: ScenarioMistake.good, file: "good.yaml")
    }

    @Test func allErrorsAreReportedTogetherInTheOrderOfTheFile() throws {
        let yaml = ScenarioMistake.good
            .replacing("readers: 4", with: "readers: four")
            .replacing("SELECT :n", with: "SELECT :m")
            .replacing("version: 1", with: "version: 0")
        let error = #expect(throws: ScenarioError.self) {
            try Scenario.parse(yaml: yaml, file: "f")
        }
        #expect(error?.issues.map(\.line) == [1, 5, 11])
    }

    /// Parsing a damaged file returns a scenario or throws a ``ScenarioError``, and never ends the
    /// program.
    @Test(.timeLimit(.minutes(1)), arguments: Presets.all.map(\.name))
    func aDamagedFileNeverEndsTheProgram(name: String) throws {
        let text = Array(try #require(Presets.named(name)).yaml.utf8)
        let debris = Array("{}[]:,'\"#&*!|>%@`-?\n 0129xs~\u{0}\u{FF}".utf8)
        var random = SeededRandom(seed: UInt64(name.count))
        var damaged = 0
        for _ in 0..<150 {
            var bytes = text
            for _ in 0...Int.random(in: 0..<4, using: &random) {
                let place = Int.random(in: bytes.indices, using: &random)
                let count = min(Int.random(in: 0..<6, using: &random), bytes.count - place)
                let piece = (0..<Int.random(in: 0..<4, using: &random)).map { _ in
                    debris[Int.random(in: debris.indices, using: &random)]
                }
                bytes.replaceSubrange(place..<place + count, with: piece)
            }
            do throws(ScenarioError) {
                _ = try Scenario.parse(yaml: String(decoding: bytes, as: UTF8.self), file: "f")
            } catch {
                #expect(!error.issues.isEmpty)
                damaged += 1
            }
        }
        #expect(damaged > 10)
    }

    @Test func invalidYAMLIsReportedWithItsLine() throws {
        let error = #expect(throws: ScenarioError.self) {
            try Scenario.parse(yaml: "version: 1\nname: [a\ndataset: {", file: "f")
        }
        let issue = try #require(error?.issues.first)
        #expect(issue.line == 3)
        #expect(issue.message.hasPrefix("this is not valid YAML: "))
        #expect(issue.message.hasSuffix("near 'dataset: {'"))
    }

    @Test func aTabInTheIndentationIsReported() throws {
        let error = #expect(throws: ScenarioError.self) {
            try Scenario.parse(yaml: "version: 1\nphases:\n\t- 1", file: "f")
        }
        #expect(error?.description.contains("a tab cannot be used for indentation") == true)
    }

    @Test(arguments: ["", "# a comment\n"])
    func anEmptyFileIsReported(yaml: String) {
        let error = #expect(throws: ScenarioError.self) {
            try Scenario.parse(yaml: yaml, file: "f")
        }
        #expect(error?.description == "f: the file is empty; a scenario starts with version: 1")
    }

    @Test func aKeyWrittenTwiceIsAnError() {
        let error = #expect(throws: ScenarioError.self) {
            try Scenario.parse(yaml: ScenarioMistake.good + "\nname: again", file: "f")
        }
        let lines = ScenarioMistake.good.split(separator: "\n", omittingEmptySubsequences: false)
        let first = lines.firstIndex { $0.hasPrefix("name:") } ?? 0
        #expect(
            error?.description
                == "f:\(lines.count + 1):1: the key 'name' occurs twice in this mapping (first on "
                + "line \(first + 1)); rename or remove the duplicate"
        )
    }

    @Test func aKeyWrittenTwiceInAFlowMappingIsAnError() {
        let error = #expect(throws: ScenarioError.self) {
            try Scenario.parse(yaml: "{name: a, name: b}", file: "f")
        }
        #expect(
            error?.description
                == "f:1:2: the key 'name' occurs twice in this mapping; rename or remove the "
                + "duplicate"
        )
    }

    @Test(arguments: [
        (
            Data("SQLite format 3\0".utf8) + Data([0xFF]),
            "this is an SQLite database, not a scenario; specify a YAML file, and pass the database "
                + "with --database"
        ),
        (Data([0xFF, 0xFE]), "the file is not encoded in UTF-8; convert it to UTF-8"),
    ])
    func aFileThatIsNotTextIsReported(data: Data, message: String) throws {
        let file = FileManager.default.temporaryDirectory
            .appendingPathComponent("poolgauge-\(UUID().uuidString).yaml")
        try data.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let error = #expect(throws: ScenarioError.self) {
            try Scenario.load(nameOrPath: file.path)
        }
        #expect(error?.description == "\(file.path): \(message)")
    }

    @Test func textThatIsNotAMappingIsAnError() {
        let error = #expect(throws: ScenarioError.self) {
            try Scenario.parse(yaml: "hello", file: "f")
        }
        #expect(error?.description == "f:1:1: the scenario must be a mapping, not 'hello'")
    }
}
