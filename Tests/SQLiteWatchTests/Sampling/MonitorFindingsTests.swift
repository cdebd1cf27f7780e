import Findings
import Testing

@testable import SQLiteWatch

struct MonitorFindingsTests {
    private let writer = HeldLock(kind: .writer)
    private let reader = HeldLock(kind: .reader, mark: 1)

    private func findings(_ observations: [Observation]) -> [Finding] {
        var monitor = DatabaseMonitor(path: "/app.sqlite")
        for observation in observations { monitor.update(observation) }
        return monitor.report(
            at: observations.last?.now ?? 0,
            calendar: { WatchTime(milliseconds: Int64($0 / 1_000_000)) },
            processorShare: 0,
            fileSystem: nil,
            notes: [],
            tables: nil,
            facts: { DatabaseMonitor.Process(name: "app\($0)", processorShare: 0.001) }
        ).findings
    }

    @Test func anIdleDatabaseHasNoFindings() {
        let header = index(frames: 10, backfilled: 10)
        #expect(
            findings([observation(at: 0, header, [7: []]), observation(at: 5_000, header, [7: []])])
                .isEmpty
        )
    }

    @Test func anOldReaderIsReportedWithItsFrames() throws {
        let marks: [UInt32?] = [0, 9, nil, nil, nil]
        let found = findings([
            observation(at: 0, index(frames: 1_009, marks: marks), [7: [reader]]),
            observation(at: 2_000, index(frames: 1_009, marks: marks), [7: [reader]]),
        ])
        let verdict = try #require(found.first)
        #expect(verdict.kind == .pinned)
        #expect(verdict.cause == .oldReader)
        #expect(verdict.pid == 7)
        #expect(verdict.text.contains("1,000 frames"))
        // The pin explains why no checkpoint copies the frames.
        #expect(found.count == 1)
    }

    @Test func anIdleWriterIsReported() throws {
        let header = index(frames: 10, backfilled: 10)
        var observations = [
            observation(at: 0, header, [7: [writer], 8: []]),
            observation(at: 2_500, header, [7: [writer], 8: []], waiting: [8: true]),
        ]
        for index in observations.indices {
            observations[index].runs[7] = ProcessRuns(total: 40, sleeps: 30)
        }
        let found = findings(observations)
        let verdict = try #require(found.first)
        #expect(verdict.kind == .longWriter)
        #expect(verdict.text.contains("for at least 2.5 s"))
        #expect(verdict.text.contains("app7 (7)"))
        #expect(verdict.text.contains("app8 (8) is probably waiting"))
        #expect(verdict.text.contains("idle in a transaction"))
    }

    @Test func processesOfOneProgramAreDistinguished() {
        func process(_ arguments: [String]) -> DatabaseMonitor.Process {
            DatabaseMonitor.Process(name: "python3 svc.py", arguments: arguments)
        }
        var processes: [Int32: DatabaseMonitor.Process] = [
            1: process(["python3", "svc.py", "--log", "web"]),
            2: process(["python3", "svc.py", "--log", "jobs"]),
            3: DatabaseMonitor.Process(name: "node"),
        ]
        ProcessNames.distinguish(&processes)
        #expect(processes[1]?.name == "python3 svc.py web")
        #expect(processes[2]?.name == "python3 svc.py jobs")
        #expect(processes[3]?.name == "node")
        var secret: [Int32: DatabaseMonitor.Process] = [
            1: process(["a", "--api-key", "4f1c", "web"]),
            2: process(["a", "--api-key", "9be2", "jobs"]),
        ]
        ProcessNames.distinguish(&secret)
        #expect(secret[1]?.name == "python3 svc.py web")
        var same: [Int32: DatabaseMonitor.Process] = [1: process(["a"]), 2: process(["a"])]
        ProcessNames.distinguish(&same)
        #expect(same[1]?.name == "python3 svc.py")
    }

    /// A process that ran between two samples may have released the lock.
    @Test func aWriterThatRanIsNotCalledIdle() throws {
        let header = index(frames: 10, backfilled: 10)
        let found = findings(
            (0..<6).map { step in
                var sample = observation(at: UInt64(step) * 1_000, header, [7: [writer]])
                sample.runs[7] = ProcessRuns(total: UInt64(step), sleeps: UInt64(step))
                return sample
            }
        )
        let verdict = try #require(found.first)
        #expect(verdict.text.contains("at each sample for about 5.0 s"))
        #expect(!verdict.text.contains("idle in a transaction"))
    }

    @Test func aWriterThatEndedInTheIntervalIsStillReported() throws {
        let header = index(frames: 10, backfilled: 10)
        let found = findings([
            observation(at: 0, header, [7: [writer], 8: []]),
            observation(at: 2_500, header, [7: [writer], 8: []], waiting: [8: true]),
            observation(at: 2_600, header, [7: [], 8: []], waiting: [8: false]),
            observation(at: 3_000, header, [7: [], 8: []]),
        ])
        let verdict = try #require(found.first)
        #expect(verdict.kind == .longWriter)
        #expect(
            verdict.text.contains("app7 (7) held the write lock for 2.6 s, until 400 ms ago")
        )
        #expect(verdict.text.contains("app8 (8) probably waited"))
    }

    @Test func aWriterThatHeldItsLockTwiceIsReportedWithTheLastTime() throws {
        let header = index(frames: 10, backfilled: 10)
        let found = findings([
            observation(at: 0, header, [7: [writer]]),
            observation(at: 2_500, header, [7: [writer]]),
            observation(at: 2_600, header, [7: []]),
            observation(at: 3_000, header, [7: [writer]]),
            observation(at: 4_500, header, [7: [writer]]),
            observation(at: 4_600, header, [7: []]),
            observation(at: 5_000, header, [7: []]),
        ])
        let verdict = try #require(found.first)
        let text =
            "app7 (7) held the write lock twice, for up to 2.6 s at a time, and last released it "
            + "400 ms ago"
        #expect(verdict.text.hasPrefix(text), "\(verdict.text)")
    }

    @Test func framesThatNoCheckpointCopiesAreReported() throws {
        let found = findings([
            observation(at: 0, index(frames: 5_000), [7: [writer]]),
            observation(at: 1_000, index(change: 2, frames: 5_100), [7: [writer]]),
            observation(at: 2_000, index(change: 3, frames: 5_200), [:]),
        ])
        let verdict = try #require(found.first)
        #expect(verdict.kind == .noCheckpoint)
        #expect(verdict.text.contains("5,200 frames"))
        #expect(verdict.text.contains("app7"))
    }

    @Test func aLargeTransactionIsRecognizedByItsSize() throws {
        var grown = observation(at: 1_500, index(frames: 10), [7: [writer]])
        grown.files.wal?.size = 32 + 9_010 * 4120
        let found = findings([observation(at: 0, index(frames: 10), [7: [writer]]), grown])
        let verdict = try #require(found.first { $0.kind == .largeTransaction })
        #expect(verdict.text.contains("9,000 frames"))
        #expect(verdict.pid == 7)
    }

    @Test func overlappingReadersPreventALogReset() throws {
        let observations = (0..<40).map { step in
            let frames = UInt32(2_000 + 200 * step)
            return observation(
                at: UInt64(step) * 100,
                index(
                    change: UInt32(step),
                    frames: frames,
                    backfilled: frames - 100,
                    marks: [0, frames - 50, frames, nil, nil]
                ),
                [Int32(7 + step % 2): [HeldLock(kind: .reader, mark: 1 + step % 2)]]
            )
        }
        #expect(findings(observations).first?.kind == .overlappingReaders)
    }

    /// A log that is already long is reported even if it grows slowly.
    @Test func aLongLogIsReportedImmediately() {
        let observations = (0..<20).map { step in
            let frames = UInt32(9_000 + step)
            return observation(
                at: UInt64(step) * 100,
                index(
                    change: UInt32(step),
                    frames: frames,
                    backfilled: frames,
                    marks: [0, 9_000, nil, nil, nil]
                ),
                [7: [HeldLock(kind: .reader, mark: 1)]]
            )
        }
        #expect(findings(observations).first?.kind == .overlappingReaders)
    }

    @Test func aLargeFileWithoutACauseIsNotPinned() {
        var later = observation(at: 10, index(frames: 100, backfilled: 100), [7: []])
        later.files.wal?.size = 32 + 50_000 * 4120
        #expect(findings([later]).map(\.kind) == [.largeNotPinned])
    }

    @Test func aCheckpointWithTheWriteLockWaitsForReaders() throws {
        let held: [Int32: Set<HeldLock>] = [
            7: [writer, HeldLock(kind: .checkpoint)], 8: [reader],
        ]
        let header = index(frames: 9, backfilled: 9, marks: [0, 9, nil, nil, nil])
        let found = findings([
            observation(at: 0, header, held), observation(at: 1_200, header, held),
        ])
        #expect(found.map(\.kind) == [.checkpointWaits])
        #expect(found.first?.text.contains("app8 (8)") == true)
    }

    @Test func exclusiveLockingModeIsReported() {
        let held: [Int32: Set<HeldLock>] = [7: [HeldLock(kind: .exclusive)]]
        let found = findings([
            observation(at: 0, index(frames: 9, backfilled: 9), held),
            observation(at: 1_200, index(frames: 9, backfilled: 9), held),
        ])
        #expect(found.map(\.kind) == [.exclusive])
        #expect(found.first?.remedy?.contains("locking_mode") == true)
    }
}
