import Foundation
import Testing

@testable import WorkloadEngine

/// What is run for real beside a prediction, and what it says of the machine.
struct WhatIfCheckTests {
    private let whatIf: WhatIf

    init() throws {
        whatIf = try WhatIf(WhatIf.decode(KeptRecording.data(), file: "small-load.json"))
    }

    @Test func theNeighboursTakeTurns() throws {
        let runs = try whatIf.checkRuns(in: whatIf.scenario(), times: 2)
        #expect(runs.map(\.setting.readers) == [1, 3, 1, 3])
        #expect(runs.map(\.arm.readers) == [1, 3, 1, 3])
        #expect(Set(runs.map(\.arm.name)).count == 4)
    }

    @Test func theRecordedSettingRunsOnceMoreWhenAskedFor() throws {
        let runs = try whatIf.checkRuns(
            in: whatIf.scenario(),
            times: 2,
            includingRecorded: true
        )
        #expect(runs.map(\.setting.readers) == [2, 1, 3, 2, 1, 3])
        #expect(whatIf.checkSettings(includingRecorded: true).first == whatIf.recorded)
    }

    /// The recorded setting's wait as it is now.
    private func again(
        _ measured: UInt64,
        _ range: ClosedRange<UInt64>? = nil,
        with setting: WhatIfSetting = .pool(readers: 2)
    ) -> [WhatIfCheck] {
        var own = WhatIfComparison(predicted: 1, measured: measured)
        (own.least, own.most) = (range?.lowerBound, range?.upperBound)
        return [WhatIfCheck(setting: setting, clients: ["ui": own], runs: nil, problem: nil)]
    }

    @Test func aWaitThatIsAnotherNowIsToldOf() throws {
        let then = try #require(whatIf.run.clients["ui"]?.wait?.p99)
        let notes = whatIf.notes(onChangeIn: again(then + 2_000_000))
        #expect(notes.count == 1)
        #expect(notes.first?.hasPrefix("ui's p99 wait was \(HumanUnits.time(then)) when") == true)
        #expect(notes.first?.contains("is \(HumanUnits.time(then + 2_000_000)) in") == true)
    }

    @Test func whatIsAsItWasIsNot() throws {
        let then = try #require(whatIf.run.clients["ui"]?.wait?.p99)
        #expect(whatIf.notes(onChangeIn: again(then)).isEmpty)
        // Within a millisecond, as a prediction may be.
        #expect(whatIf.notes(onChangeIn: again(then + 999_000)).isEmpty)
        // One of the runs gave less than was recorded, another more.
        #expect(
            whatIf.notes(onChangeIn: again(then + 2_000_000, (then - 1)...(then + 9_000_000)))
                .isEmpty
        )
        #expect(
            whatIf.notes(onChangeIn: again(then + 2_000_000, (then + 1)...(then + 9_000_000)))
                .count == 1
        )
        #expect(
            whatIf.notes(onChangeIn: again(then + 2_000_000, with: .pool(readers: 3))).isEmpty
        )
    }

    @Test func theReportNamesTheRecordedSetting() throws {
        var result = try whatIf.predict([])
        #expect(result.notes?.contains("changed") != true)
        result.add(again(2_000_000), with: ["it has changed"])
        let text = WhatIfReport.text(of: result)
        #expect(text.contains("\na real run with 2 readers (recorded):\n"))
        #expect(text.hasSuffix("\nnote: it has changed\n"))
        result.add(again(2_000_000, with: .pool(readers: 3)), with: [])
        #expect(WhatIfReport.text(of: result).contains("\na real run with 3 readers:\n"))
    }
}
