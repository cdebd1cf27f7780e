import Testing

@testable import SQLiteWatch

/// Returns an observation of a database in WAL mode.
func observation(
    at milliseconds: UInt64,
    _ index: WALIndexHeader,
    _ held: [Int32: Set<HeldLock>],
    waiting: [Int32: Bool] = [:],
    runs: [Int32: ProcessRuns] = [:]
) -> Observation {
    var files = ObservedFiles()
    files.state = .present
    files.header = DatabaseHeader(HeaderSamples.database)
    files.index = index
    files.wal = FileContent()
    files.wal?.size = 32 + UInt64(index.frames) * 4120
    var observation = Observation(now: milliseconds * 1_000_000, weight: 1e7, files: files)
    for (process, locks) in held {
        observation.locks[process] = ProcessLocks(process: process, held: locks, isAttached: true)
    }
    observation.waiting = waiting
    observation.runs = runs
    return observation
}

private let writer = HeldLock(kind: .writer)
private func reader(_ mark: Int) -> HeldLock { HeldLock(kind: .reader, mark: mark) }

struct HoldTrackerTests {
    @Test func aWriterHoldsItsLockUntilACommit() {
        var tracker = HoldTracker()
        tracker.update(observation(at: 0, index(change: 5, frames: 9), [7: [writer]]))
        tracker.update(observation(at: 10, index(change: 5, frames: 9), [7: [writer]]))
        #expect(tracker.holds[7]?[writer]?.since == 0)
        // The writer committed and began a new transaction.
        tracker.update(observation(at: 20, index(change: 6, frames: 11), [7: [writer]]))
        #expect(tracker.holds[7]?[writer]?.since == 20_000_000)
        tracker.update(observation(at: 30, index(change: 6, frames: 11), [:]))
        #expect(tracker.holds.isEmpty)
    }

    @Test func aReaderThatFallsBehindIsAPin() {
        var tracker = HoldTracker()
        let marks: [UInt32?] = [0, 9, nil, nil, nil]
        tracker.update(observation(at: 0, index(frames: 9, marks: marks), [7: [reader(1)]]))
        #expect(tracker.holds[7]?[reader(1)]?.behindSince == nil)
        let later = index(change: 2, frames: 12, marks: [0, 9, 12, nil, nil])
        tracker.update(observation(at: 10, later, [7: [reader(1)]]))
        let hold = tracker.holds[7]?[reader(1)]
        #expect(hold?.since == 0)
        #expect(hold?.behindSince == 10_000_000)
        #expect(hold?.frame == 9)
        // The reader may have read twice between the first two samples.
        #expect(hold?.isContinuous == false)
    }

    @Test func aReaderBehindSinceItsFirstSampleIsContinuous() {
        var tracker = HoldTracker()
        let header = index(frames: 12, marks: [0, 9, 12, nil, nil])
        tracker.update(observation(at: 0, header, [7: [reader(1)], 8: [reader(2)]]))
        tracker.update(observation(at: 10, header, [7: [reader(1)], 8: [reader(2)]]))
        #expect(tracker.holds[7]?[reader(1)]?.isContinuous == true)
        #expect(tracker.holds[8]?[reader(2)]?.isContinuous == false)
    }

    @Test func newReadersMayJoinAnOldMarkIfAllMarksAreInUse() {
        var tracker = HoldTracker()
        let header = index(frames: 12, marks: [0, 9, 10, 11, 12])
        let held: [Int32: Set<HeldLock>] = [7: [reader(1), reader(2), reader(3), reader(4)]]
        tracker.update(observation(at: 0, header, held))
        tracker.update(observation(at: 10, header, held))
        #expect(tracker.holds[7]?[reader(1)]?.isContinuous == false)
    }

    @Test func aMarkThatMovedWasFreeInTheMeantime() {
        var tracker = HoldTracker()
        let old = index(frames: 12, marks: [0, 9, nil, nil, nil])
        let new = index(change: 2, frames: 14, marks: [0, 13, nil, nil, nil])
        tracker.update(observation(at: 0, old, [7: [reader(1)]]))
        tracker.update(observation(at: 10, new, [7: [reader(1)]]))
        #expect(tracker.holds[7]?[reader(1)]?.since == 10_000_000)
    }

    @Test func aReaderOfTheFilePinsTheWholeLog() {
        var tracker = HoldTracker()
        tracker.update(observation(at: 0, index(frames: 12, backfilled: 12), [7: [reader(0)]]))
        #expect(tracker.holds[7]?[reader(0)]?.behindSince == nil)
        tracker.update(observation(at: 10, index(frames: 5, salt1: 101), [7: [reader(0)]]))
        #expect(tracker.holds[7]?[reader(0)]?.behindSince == 10_000_000)
        #expect(tracker.holds[7]?[reader(0)]?.since == 0)
        // A checkpoint copied frames, so the reader must have ended in the meantime.
        let copied = index(frames: 5, backfilled: 3, salt1: 101)
        tracker.update(observation(at: 20, copied, [7: [reader(0)]]))
        #expect(tracker.holds[7]?[reader(0)]?.since == 20_000_000)
    }
}
