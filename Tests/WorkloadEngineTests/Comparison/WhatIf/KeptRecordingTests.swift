import Foundation
import Testing

@testable import WorkloadEngine

/// Tests results that users have kept from an older version.
@Suite(.timeLimit(.minutes(2)))
struct KeptRecordingTests {
    @Test func aRecordingIsReadCompletely() throws {
        let result = try KeptRecording.result()
        #expect(result.environment.versions["poolgauge"] == "0.1.0")
        let run = try #require(result.runs.first)
        #expect(run.clients.keys.sorted() == ["cancel", "pay", "report", "ui"])
        #expect(run.clients["ui"]?.completed ?? 0 > 1_000)
        #expect(run.clients["ui"]?.spectra?.wait.count == run.clients["ui"]?.completed)
        #expect(run.load?.clients["cancel"]?.interrupts == RecordedLoad.Client.allClients)
        #expect(!run.intervals.isEmpty)
        #expect(run.blame?.isEmpty == false)
    }

    @Test func rewritingARecordingKeepsAllItsParts() throws {
        let rewritten = try JSONReport.text(of: KeptRecording.result())
        let original = try JSONSerialization.jsonObject(with: KeptRecording.data())
        let copy = try JSONSerialization.jsonObject(with: Data(rewritten.utf8))
        #expect(missing(of: original, in: copy, at: "") == [])
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

    @Test func aRecordingCanBeSimulated() throws {
        let whatIf = try WhatIf(KeptRecording.result())
        #expect(whatIf.recorded == .pool(readers: 2))
        #expect(whatIf.hasOwnDatabase == nil)
        let result = try whatIf.predict([.queue, .pool(readers: 1)])
        #expect(result.fit["ui"]?.predicted ?? .max < 200_000)
        let text = WhatIfReport.text(of: result)
        #expect(text.contains("recorded with poolgauge 0.1.0"))
        #expect(text.contains("journal_mode wal, synchronous"))
        let waits = result.predictions.map { $0.clients["ui"]?.p99 ?? 0 }
        try #require(waits.count == 3)
        // The report repeatedly holds the only connection for up to 40 ms within two seconds, so
        // more than one access in a hundred waits. With two readers, one reader remains free.
        #expect(waits[0] > 10 * waits[2])
        #expect(waits[1] > 10 * waits[2])
    }

    @Test func aRecordingContainsTheLoadForACheck() throws {
        let whatIf = try WhatIf(KeptRecording.result())
        let scenario = try whatIf.scenario()
        #expect(scenario.name == "small-load")
        #expect(try whatIf.checkRuns(in: scenario).map(\.setting.readers) == [1, 3])
    }
}
