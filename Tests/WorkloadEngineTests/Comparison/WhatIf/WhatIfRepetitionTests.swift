import Foundation
import Testing

@testable import WorkloadEngine

/// Tests whether a machine still reproduces a recording.
@Suite(.timeLimit(.minutes(2)))
struct WhatIfRepetitionTests {
    private let whatIf: WhatIf
    private let recordedP99: UInt64

    init() throws {
        whatIf = try WhatIf(KeptRecording.result())
        recordedP99 = try #require(whatIf.run.clients["ui"]?.wait?.p99)
    }

    /// Returns a run in which each wait of `ui` is longer by the given number of nanoseconds.
    private func run(longerBy nanoseconds: UInt64) -> ArmResult {
        var run = whatIf.run
        run.clients["ui"]?.wait?.p99 = recordedP99 + nanoseconds
        var spectrum = LatencySpectrum()
        spectrum.add(recordedP99 + nanoseconds, count: 1_500)
        run.clients["ui"]?.spectra?.wait = spectrum
        return run
    }

    /// Returns a prediction for the recorded setting with the given range of single runs.
    private func prediction(_ low: UInt64, _ high: UInt64) -> WhatIfPrediction {
        WhatIfPrediction(
            setting: whatIf.recorded,
            clients: ["ui": .init(p99: low, low: low, high: high, skipped: nil)]
        )
    }

    private func verdict(
        _ runs: [ArmResult],
        beside prediction: WhatIfPrediction? = nil
    ) -> WhatIfRepetition.Verdict? {
        whatIf.repetition(runs, beside: prediction).clients["ui"]?.verdict
    }

    @Test func aDifferenceWithinAMillisecondIsTheSame() {
        #expect(verdict([run(longerBy: 0)]) == .same)
        #expect(verdict([run(longerBy: 999_000)]) == .same)
        #expect(verdict([run(longerBy: 2_000_000)]) == .changed)
    }

    /// On an unchanged machine, the recorded run is outside the range of three other runs in half
    /// of all cases.
    @Test func aDifferenceNoLargerThanTheRangeOfRunsIsInconclusive() {
        let runs = [3_000_000, 5_000_000, 6_000_000].map { run(longerBy: $0) }
        #expect(verdict(runs) == .inconclusive)
        #expect(verdict([5_000_000, 5_500_000, 6_000_000].map { run(longerBy: $0) }) == .changed)
        #expect(verdict([0, 9_000_000, 9_000_000].map { run(longerBy: $0) }) == .inconclusive)
    }

    @Test func aDifferenceWithinTheRangeOfSimulatedRunsIsInconclusive() {
        let runs = [run(longerBy: 9_000_000)]
        #expect(verdict(runs, beside: prediction(1_000_000, 20_000_000)) == .inconclusive)
        #expect(verdict(runs, beside: prediction(19_000_000, 20_000_000)) == .changed)
        // A difference of half a second is not due to chance.
        let far = [run(longerBy: 500_000_000)]
        #expect(verdict(far, beside: prediction(1_000_000, 2_200_000)) == .changed)
    }

    @Test func aChangeIsReported() {
        let changed = whatIf.repetition([run(longerBy: 2_000_000)], beside: nil)
        #expect(changed.notes.count == 1)
        #expect(changed.notes.first?.hasPrefix("the waits of ui differ") == true)
        #expect(whatIf.repetition([run(longerBy: 0)], beside: nil).notes == [])
    }

    @Test func aStoppedRunIsNotEvidenceAboutTheMachine() throws {
        var stopped = run(longerBy: 2_000_000)
        stopped.partial = true
        let repetition = whatIf.repetition([stopped], beside: nil)
        #expect(repetition.problem == "a run was stopped early")
        #expect(repetition.clients["ui"]?.verdict == .inconclusive)
        #expect(repetition.notes == [])
        // A recording that was stopped is not evidence either.
        var recording = try KeptRecording.result()
        recording.runs[0].partial = true
        recording.runs[0].valid = false
        recording.runs[0].failures = ["the disk was full"]
        let other = try WhatIf(recording).repetition([run(longerBy: 2_000_000)], beside: nil)
        #expect(
            other.problem
                == "the recorded run was stopped early; the recorded run was invalid; "
                + "the recorded run failed: the disk was full"
        )
        #expect(other.notes == [])
    }

    @Test func theReportShowsOldAndNewValues() throws {
        var result = try whatIf.predict([])
        let runs = [run(longerBy: 2_000_000), run(longerBy: 3_000_000)]
        result.repetition = whatIf.repetition(runs, beside: nil)
        let text = WhatIfReport.text(of: result)
        let ranges = [recordedP99 + 3_000_000, recordedP99 + 2_000_000, recordedP99 + 3_000_000]
            .map(ReportUnits.time)
        #expect(
            text.contains(
                "\n2 real runs with 2 readers, as in the recording, combined "
                    + "[lowest … highest single run]:\n"
            )
        )
        #expect(
            text.contains(
                "\n  ui: recorded \(ReportUnits.time(recordedP99)), now \(ranges[0]) "
                    + "[\(ranges[1]) … \(ranges[2])]: CHANGED by more than 25% and 1 ms\n"
            ),
            "\(text)"
        )
        result.repetition?.problem = "they were stopped"
        #expect(WhatIfReport.text(of: result).contains("\n  unreliable: they were stopped\n"))
        result.repetition?.clients = [:]
        #expect(
            WhatIfReport.text(of: result).contains("\n  no client has enough accesses for a p99")
        )
    }

    @Test func jsonIsReadBackUnchanged() throws {
        var result = try whatIf.predict([])
        result.repetition = whatIf.repetition([run(longerBy: 2_000_000)], beside: nil)
        let text = try JSONReport.text(of: result)
        #expect(text.contains("\"verdict\" : \"changed\""))
        let decoded = try JSONDecoder().decode(WhatIfResult.self, from: Data(text.utf8))
        #expect(decoded == result)
    }
}
