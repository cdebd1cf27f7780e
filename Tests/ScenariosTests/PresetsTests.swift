import Foundation
import Scenarios
import Testing

struct PresetsTests {
    private static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("scenarios")

    @Test(arguments: Presets.all.map(\.name))
    func presetsAreValidForEveryDuration(name: String) throws {
        let scenario = try #require(Presets.named(name)).scenario()
        #expect(scenario.name == name)
        #expect(!scenario.description.isEmpty)
        for seconds in [1, 3, 10, 600] {
            let scaled = try scenario.scaled(toMeasured: .seconds(seconds))
            #expect(scaled.measuredDuration == .seconds(seconds))
        }
        #expect(Set(scenario.arms.map(\.name)).isSuperset(of: ["queue", "queue-wal", "pool"]))
    }

    @Test func everyFileInTheFolderIsAPreset() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
        #expect(files.sorted() == Presets.all.map { $0.name + ".yaml" }.sorted())
        for preset in Presets.all {
            let file = Self.folder.appendingPathComponent(preset.name + ".yaml")
            #expect(try String(contentsOf: file, encoding: .utf8) == preset.yaml)
        }
    }

    @Test func theSampleInTheREADMEIsValid() throws {
        let file = Self.folder.deletingLastPathComponent().appendingPathComponent("README.md")
        let text = try String(contentsOf: file, encoding: .utf8)
        let sample = try #require(text.firstMatch(of: /(?s)```yaml\n(version: 1.*?)```/)?.1)
        let scenario = try Scenario.parse(yaml: String(sample), file: "README.md")
        #expect(scenario.clients.count == 3)
        _ = try scenario.scaled(toMeasured: .seconds(10))
    }

    @Test func aPresetAndAFileAreFoundByName() throws {
        #expect(try Scenario.load(nameOrPath: "ycsb-c").name == "ycsb-c")
        let path = Self.folder.appendingPathComponent("ycsb-a.yaml").path
        let loaded = try Scenario.load(nameOrPath: path)
        #expect(loaded.name == "ycsb-a")
        #expect(loaded.file == path)
    }

    @Test func aMissingScenarioIsReportedWithTheNearestName() {
        let typo = #expect(throws: ScenarioError.self) { try Scenario.load(nameOrPath: "ycbs-a") }
        #expect(
            typo?.description
                == "ycbs-a: there is no such file or preset; did you mean 'ycsb-a'?"
        )
        let path = #expect(throws: ScenarioError.self) {
            try Scenario.load(nameOrPath: "no/such.yaml")
        }
        #expect(
            path?.description
                == "no/such.yaml: there is no such file; check the path, or specify a preset from "
                + "'poolgauge scenarios list'"
        )
        let folder = #expect(throws: ScenarioError.self) {
            try Scenario.load(nameOrPath: Self.folder.path)
        }
        #expect(folder?.description.contains("this is a folder") == true)
    }
}
