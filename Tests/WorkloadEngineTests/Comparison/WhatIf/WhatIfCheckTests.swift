import Foundation
import Testing

@testable import WorkloadEngine

/// Tests real runs that check a prediction.
@Suite(.timeLimit(.minutes(2)))
struct WhatIfCheckTests {
    private let recording: RunResult
    private let whatIf: WhatIf

    init() throws {
        recording = try KeptRecording.result()
        whatIf = try WhatIf(recording)
    }

    @Test func neighboringSettingsAlternate() throws {
        let runs = try whatIf.checkRuns(in: whatIf.scenario(), times: 2)
        #expect(runs.map(\.setting.readers) == [1, 3, 1, 3])
        #expect(runs.map(\.arm.readers) == [1, 3, 1, 3])
        #expect(Set(runs.map(\.arm.name)).count == 4)
    }

    @Test func theRecordedSettingRunsEquallyOftenOnRequest() throws {
        let runs = try whatIf.checkRuns(
            in: whatIf.scenario(),
            times: 2,
            includingRecorded: true
        )
        #expect(runs.map(\.setting.readers) == [2, 1, 3, 2, 1, 3])
        #expect(runs.map(\.arm.readers) == [2, 1, 3, 2, 1, 3])
        #expect(Set(runs.map(\.arm.name)).count == 6)
    }

    @Test func aRecordedQueueKeepsItsJournal() throws {
        var recording = recording
        recording.runs[0].load?.kind = "queue"
        recording.runs[0].load?.readers = nil
        let whatIf = try WhatIf(recording)
        #expect(whatIf.recorded == .queue)
        var scenario = try whatIf.scenario()
        scenario.arms[0].kind = .queue
        scenario.arms[0].readers = nil
        scenario.arms[0].journal = .delete
        let runs = try whatIf.checkRuns(in: scenario, includingRecorded: true)
        #expect(runs.first?.arm.kind == .queue)
        #expect(runs.first?.arm.journal == .delete)
        #expect(!runs.dropFirst().isEmpty)
        #expect(runs.dropFirst().allSatisfy { $0.arm.kind == .pool && $0.arm.journal == nil })
    }

    @Test func eachRunIsAddedToItsSetting() throws {
        let runs = try whatIf.checkRuns(in: whatIf.scenario(), times: 2, includingRecorded: true)
        let predictions = try whatIf.predict([.pool(readers: 1), .pool(readers: 3)])
        // Simulates a check that was stopped after its fifth run.
        let completedRuns = runs.prefix(5).map { (run: $0, result: whatIf.run) }
        let result = whatIf.adding(completedRuns, on: recording.environment, to: predictions)
        #expect(result.checks?.map(\.setting.readers) == [1, 3])
        #expect(result.checks?.map { $0.runs ?? 1 } == [2, 1])
        #expect(result.repetition?.runs == 2)
        #expect(result.notes == predictions.notes)
    }

    @Test func withoutRunsNothingIsAdded() throws {
        let predictions = try whatIf.predict([])
        var machine = recording.environment
        machine.cpuCount = 8
        #expect(whatIf.adding([], on: machine, to: predictions) == predictions)
        // The check was stopped after the run of the recorded setting.
        let runs = try whatIf.checkRuns(in: whatIf.scenario(), includingRecorded: true)
        let result = whatIf.adding([(runs[0], whatIf.run)], on: machine, to: predictions)
        #expect(result.checks == nil)
        #expect(result.repetition?.runs == 1)
        #expect(result.notes?.count == (predictions.notes?.count ?? 0) + 1)
    }

    @Test func aDifferentMachineIsReported() throws {
        var machine = recording.environment
        machine.cpuCount = 8
        machine.versions["sqlite"] = "3.50.0"
        let sync = try #require(machine.syncNanoseconds)
        machine.syncNanoseconds = sync * 6
        #expect(
            whatIf.notes(onMachine: machine) == [
                "the checks ran under different conditions than the recorded run (processors: 8 instead of 2, "
                    + "sqlite: 3.50.0 instead of 3.40.1, sync time: \(ReportUnits.time(sync * 6)) "
                    + "instead of \(ReportUnits.time(sync))), which may explain wrong predictions"
            ]
        )
        machine = recording.environment
        machine.syncNanoseconds = sync * 4
        #expect(whatIf.notes(onMachine: machine) == [])
    }
}
