import Foundation
import Testing

@testable import WorkloadEngine

/// Results that users have kept: what wrote them is older than what reads them.
struct KeptRecordingTests {
    @Test func itIsReadWithAllThatItHolds() throws {
        let result = try WhatIf.decode(KeptRecording.data(), file: "small-load.json")
        #expect(result.environment.versions["poolgauge"] == "0.1.0")
        let run = try #require(result.runs.first)
        #expect(run.clients.keys.sorted() == ["cancel", "pay", "report", "ui"])
        #expect(run.clients["ui"]?.completed ?? 0 > 1_000)
        #expect(run.clients["ui"]?.spectra?.wait.count == run.clients["ui"]?.completed)
        #expect(run.load?.clients["cancel"]?.interrupts == RecordedLoad.Client.everybody)
        #expect(!run.intervals.isEmpty)
        #expect(run.blame?.isEmpty == false)
    }

    @Test func nothingOfItIsLostWhenItIsWrittenAgain() throws {
        let result = try WhatIf.decode(KeptRecording.data(), file: "small-load.json")
        let again = try JSONReport.text(of: result)
        let one = try JSONSerialization.jsonObject(with: KeptRecording.data()) as? NSDictionary
        let two = try JSONSerialization.jsonObject(with: Data(again.utf8)) as? NSDictionary
        #expect(one == two)
    }

    @Test func itIsPredictedFrom() throws {
        let whatIf = try WhatIf(WhatIf.decode(KeptRecording.data(), file: "small-load.json"))
        #expect(whatIf.recorded == .pool(readers: 2))
        let result = try whatIf.predict([.queue, .pool(readers: 1)])
        #expect(result.fit["ui"]?.isWithin == true)
        let waits = result.predictions.map { $0.clients["ui"]?.p99 ?? 0 }
        try #require(waits.count == 3)
        // The report holds the only connection for up to 40 ms, again and again in two seconds:
        // more than one access in a hundred waits. Of two readers one is left.
        #expect(waits[0] > 10 * waits[2])
        #expect(waits[1] > 10 * waits[2])
    }

    @Test func itTellsTheLoadForACheck() throws {
        let whatIf = try WhatIf(WhatIf.decode(KeptRecording.data(), file: "small-load.json"))
        let scenario = try whatIf.scenario()
        #expect(scenario.name == "small-load")
        #expect(try whatIf.checkRuns(in: scenario).map(\.setting.readers) == [1, 3])
    }
}
