import EngineTarget
import Foundation
import Scenarios
import TestSupport
import Testing
import WorkloadEngine
import Yams

@testable import Capture

/// Tests databases whose tables and columns have hostile names.
struct HostileNameTests {
    private func table(_ name: String) -> DraftTable {
        DraftTable(
            name: name,
            rows: 10,
            columns: [.init(name: "\(name)1", primaryKeyIndex: 1), .init(name: "\(name)2")],
            indexes: [.init(columns: ["\(name)2"])]
        )
    }

    @Test(arguments: HostileStrings.withoutNUL)
    func statementsNameTheTable(name: String) throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("poolgauge-names-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let target = try EngineTargetFactory().open(
            Arm(name: "a", kind: .queue),
            at: folder.appendingPathComponent("a.sqlite").path
        )
        defer { try? target.close() }
        let statements = TableStatements(table(name))
        let quoted = TableStatements.quoted
        try target.perform(.write, as: WorkloadClientName("test")) { session in
            _ = try session.run(
                "CREATE TABLE \(quoted(name)) (\(quoted(name + "1")) INTEGER PRIMARY KEY, "
                    + "\(quoted(name + "2")))",
                []
            )
            let all = statements.reads + (statements.write.map { [$0] } ?? [])
            #expect(all.count == 3)
            for statement in all { _ = try session.run(statement.trial, []) }
        }
    }

    @Test(arguments: HostileStrings.withoutNUL.filter(HostileStrings.isReadableByFoundation))
    func theDraftContainsTheStatements(name: String) throws {
        var options = DraftOptions(name: name, description: name, database: name)
        options.introduction = [name]
        let schema = CaptureSchema([
            CaptureSchema.Table(
                name: name,
                columns: [CaptureSchema.Column(name: "\(name)1", type: "INTEGER", isRowID: true)]
            )
        ])
        var draft = ScenarioDraft(options, schema: schema)
        let quoted = TableStatements.quoted
        try draft.addRead("SELECT * FROM \(quoted(name)) WHERE \(quoted(name + "1")) = ?")
        let yaml = try #require(try Yams.compose(yaml: draft.yaml))
        let mix = try #require(yaml["clients"]?["reads"]?["mix"]?.sequence)
        #expect(scalars(mix[0]["sql"]) == draft.reads.first?.statements.first.map(scalars))
        #expect(scalars(yaml["name"]) == scalars(name))
        #expect(scalars(yaml["description"]) == scalars(name))
        #expect(scalars(yaml["dataset"]?["file"]) == scalars(name))
        let isBlank = name.allSatisfy(\.isWhitespace)
        let error = #expect(throws: ScenarioError.self) {
            try Scenario.parse(yaml: draft.yaml, file: "draft.yaml")
        }
        // A blank name is rejected. For any other name, there is no such database file.
        let expected = isBlank ? "must not be empty" : "there is no file "
        let description = error?.description ?? ""
        #expect(description.contains(expected), "\(description.prefix(300))")
    }

    private func scalars(_ text: String) -> [Unicode.Scalar] { Array(text.unicodeScalars) }

    private func scalars(_ node: Node?) -> [Unicode.Scalar]? {
        node?.scalar.map { scalars($0.string) }
    }
}
