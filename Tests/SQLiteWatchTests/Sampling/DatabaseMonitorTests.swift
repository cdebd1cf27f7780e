import Findings
import Testing

@testable import SQLiteWatch

/// Tests samples that omit the list of all locks.
///
/// Such samples occur when many processes share a database.
struct DatabaseMonitorTests {
    private let writer = HeldLock(kind: .writer)
    private let reader = HeldLock(kind: .reader, mark: 1)
    private let header = index(frames: 12, marks: [0, 9, nil, nil, nil])

    /// Returns an observation that contains only exclusive locks.
    private func withoutList(at milliseconds: UInt64, _ held: [Int32: Set<HeldLock>]) -> Observation
    {
        var observation = observation(at: milliseconds, header, held)
        observation.hasList = false
        observation.listWeight = 0
        return observation
    }

    private func report(_ observations: [Observation]) -> WatchReport {
        var monitor = DatabaseMonitor(path: "/app.sqlite")
        for observation in observations { monitor.update(observation) }
        return monitor.report(
            at: 0,
            calendar: { WatchTime(milliseconds: Int64($0 / 1_000_000)) },
            processorShare: 0,
            fileSystem: nil,
            notes: [],
            tables: nil,
            facts: { DatabaseMonitor.Process(name: "app\($0)") }
        )
    }

    @Test func readersStayListedBetweenTwoLists() throws {
        let report = report([
            observation(at: 0, header, [7: [reader], 8: []]), withoutList(at: 10, [8: [writer]]),
            withoutList(at: 20, [8: [writer]]),
        ])
        #expect(report.processes.map(\.pid) == [8, 7])
        #expect(report.processes[0].locks.map(\.kind) == [.writer])
        #expect(report.processes[0].locks[0].since.milliseconds == 10)
        #expect(report.processes[1].locks.map(\.kind) == [.reader])
        #expect(report.window.samples == 3)
        #expect(report.window.listSamples == 1)
    }

    @Test func sharesIncludeOnlySamplesThatCanShowTheLock() {
        var last = observation(at: 40, header, [7: []])
        last.listWeight = 4e7
        var first = observation(at: 0, header, [7: [reader, writer]])
        first.listWeight = 4e7
        let report = report([
            first, withoutList(at: 10, [:]), withoutList(at: 20, [:]), withoutList(at: 30, [:]),
            last,
        ])
        #expect(abs((report.processes.first?.share.writer.value ?? 0) - 0.2) < 1e-9)
        #expect(report.processes.first?.share.reader.value == 0.5)
    }

    @Test func aWriterIsNotListedWithAReleasedLock() {
        let report = report([
            observation(at: 0, header, [7: [writer, reader]]), withoutList(at: 10, [:]),
        ])
        #expect(report.processes.first?.locks.map(\.kind) == [.reader])
    }

    /// Without permission to open the files, only the list shows locks.
    @Test func samplesWithoutWriteLocksDoNotEndAHold() {
        var withoutWriteLocks = withoutList(at: 10, [:])
        withoutWriteLocks.hasWriteLocks = false
        let report = report([
            observation(at: 0, header, [7: [writer]]), withoutWriteLocks,
            observation(at: 20, header, [7: [writer]]),
        ])
        #expect(report.processes.first?.locks.first?.since.milliseconds == 0)
        #expect(report.processes.first?.share.writer.value == 1)
        #expect(report.window.samples == 2)
    }
}
