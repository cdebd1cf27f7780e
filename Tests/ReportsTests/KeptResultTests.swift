import Foundation
import Reports
import Testing
import WorkloadEngine

/// Tests a result in the format `poolgauge.run/1`, which version 0.1.0 wrote.
///
/// The run used a pool with two readers on a Linux machine with two processors. Do not write the
/// result again. A change that makes these tests fail also makes the results of older programs
/// unreadable.
struct KeptResultTests {
    private func data() throws -> Data {
        try Data(
            contentsOf: URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appendingPathComponent("Kept/run-0.1.0.json")
        )
    }

    @Test func aResultIsReadCompletely() throws {
        let result = try RunResult.decode(data())
        #expect(result.schema == "poolgauge.run/1")
        #expect(result.environment.versions["poolgauge"] == "0.1.0")
        let run = try #require(result.runs.first)
        #expect(run.clients.keys.sorted() == ["cancel", "pay", "report", "ui"])
        #expect(run.clients["ui"]?.completed ?? 0 > 1_000)
        #expect(run.clients["ui"]?.spectra?.wait.count == run.clients["ui"]?.completed)
        #expect(!run.intervals.isEmpty)
        #expect(run.blame?.isEmpty == false)
    }

    @Test func rewritingAResultKeepsAllItsPartsExceptTheLoad() throws {
        let rewritten = try JSONReport.text(of: RunResult.decode(data()))
        let original = try JSONSerialization.jsonObject(with: data())
        let copy = try JSONSerialization.jsonObject(with: Data(rewritten.utf8))
        #expect(missing(of: original, in: copy, at: "") == [".runs[0].load"])
    }

    /// Returns the paths of the parts of a JSON value that are missing from its copy.
    ///
    /// The copy may contain additional parts.
    private func missing(of original: Any, in copy: Any?, at path: String) -> [String] {
        switch (original, copy) {
        case (let original as [String: Any], let copy as [String: Any]):
            original.flatMap { missing(of: $1, in: copy[$0], at: "\(path).\($0)") }.sorted()
        case (let original as [Any], let copy as [Any]) where original.count == copy.count:
            zip(original, copy).enumerated().flatMap { index, pair in
                missing(of: pair.0, in: pair.1, at: "\(path)[\(index)]")
            }
        case (let original as NSObject, let copy as NSObject): original == copy ? [] : [path]
        default: [path]
        }
    }
}
