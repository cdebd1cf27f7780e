import Testing

@testable import WorkloadEngine

struct WorkerRecorderTests {
    private let timestamps = WorkerRecorder.Timestamps(
        intended: 100,
        start: 100,
        entry: 110,
        end: 130
    )
    private let measured = PhasePlan.Place(index: 0, isMeasured: true)
    private let warmUp = PhasePlan.Place(index: 0, isMeasured: false)

    @Test func accessesInProgressAtTheEndRemainUnfinished() {
        let recorder = WorkerRecorder(operations: 2)
        #expect(recorder.begin(1, in: measured, lag: nil, wasFree: false))
        recorder.seal(at: 0)
        recorder.finish(.completed, timestamps: timestamps)
        let reading = recorder.read()
        #expect(reading.running == 1)
        #expect(reading.counts[1].offered == 1)
        #expect(reading.counts[1].completed == 0)
        #expect(!recorder.begin(0, in: measured, lag: nil, wasFree: false))
    }

    @Test func onlyAStartMoreThanAMillisecondAfterItsTimeIsLate() {
        let recorder = WorkerRecorder(operations: 1)
        for lag in [0, 1_000_000, 1_000_001] as [UInt64] {
            #expect(recorder.begin(0, in: measured, lag: lag, wasFree: false))
            recorder.finish(.completed, timestamps: timestamps)
        }
        #expect(recorder.read().counts[0].late == 1)
    }

    @Test func eachPhaseHasSeparateCounts() {
        let recorder = WorkerRecorder(operations: 2, phases: 3)
        let last = PhasePlan.Place(index: 2, isMeasured: true)
        #expect(recorder.begin(1, in: warmUp, lag: 5, wasFree: true))
        recorder.retry()
        recorder.finish(.completed, timestamps: timestamps)
        recorder.skip(1, in: warmUp)
        recorder.countUnstarted(in: last, age: 9)
        #expect(recorder.begin(0, in: last, lag: 7, wasFree: true))
        recorder.finish(.failed("SQLITE_FULL"), timestamps: nil)
        let reading = recorder.read()
        #expect(reading.counts[1].offered == 2)
        #expect(reading.counts[1].retried == 1)
        #expect(reading.counts[1].skipped == 1)
        #expect(reading.counts[4].errors == ["SQLITE_FULL": 1])
        #expect(reading.unstarted == [0, 0, 1, 0])
        #expect(reading.unfinished?.count == 1)
        #expect(reading.completed == 1)
        var window = recorder.makeWindow()
        _ = recorder.exchange(&window)
        #expect(window.histograms[1]?.response.count == 1)
        #expect(window.histograms[0] == nil)
        #expect(window.freeLag.count == 1, "the warm-up is excluded")
        #expect(window.slow.accesses.isEmpty, "the warm-up is excluded")
    }

    /// The age of an access that does not end is a lower bound of its response time.
    @Test func measuredAccessesThatDoNotEndHaveAnAge() {
        let recorder = WorkerRecorder(operations: 1)
        recorder.countUnstarted(in: measured, age: 70)
        recorder.countUnstarted(in: warmUp, age: 90)
        // The access arrived at 90.
        #expect(recorder.begin(0, in: measured, lag: 10, wasFree: false, at: 100))
        recorder.seal(at: 140)
        recorder.seal(at: 180)
        let ages = recorder.read().unfinished
        #expect(ages?.count == 2)
        #expect(ages?.minimum == 50)
        #expect(ages?.maximum == 70)
        let ended = WorkerRecorder(operations: 1)
        #expect(ended.begin(0, in: measured, lag: nil, wasFree: false, at: 100))
        ended.finish(.completed, timestamps: timestamps)
        ended.seal(at: 140)
        #expect(ended.read().unfinished == nil)
    }

    @Test func anExchangedWindowContainsEachLatencyOnce() {
        let recorder = WorkerRecorder(operations: 1)
        var window = recorder.makeWindow()
        for _ in 1...3 {
            #expect(recorder.begin(0, in: measured, lag: nil, wasFree: false))
            recorder.finish(.completed, timestamps: timestamps)
            #expect(recorder.exchange(&window) == nil)
            #expect(window.histograms[0]?.response.count == 1)
            #expect(window.histograms[0]?.wait.maximum == 10)
            #expect(window.slow.accesses.map(\.response) == [30])
            #expect(window.holds.entries == [.init(from: 110, until: 130, held: 20)])
            window.clear()
        }
    }

    @Test func theLongestWaitIncludesAccessesThatDidNotEnter() {
        let recorder = WorkerRecorder(operations: 1)
        #expect(recorder.longestWait(at: 0) == nil)
        #expect(recorder.begin(0, in: warmUp, lag: nil, wasFree: false, at: 0))
        recorder.finish(.failed("SQLITE_BUSY"), timestamps: nil, waited: 900)
        #expect(recorder.longestWait(at: 900) == nil, "the warm-up is excluded")
        #expect(recorder.begin(0, in: measured, lag: nil, wasFree: false, at: 100))
        recorder.enter(at: 110)
        recorder.finish(.completed, timestamps: timestamps)
        #expect(recorder.longestWait(at: 130) == 10)
        #expect(recorder.begin(0, in: measured, lag: nil, wasFree: false, at: 130))
        recorder.finish(.failed("SQLITE_BUSY"), timestamps: nil, waited: 50)
        #expect(recorder.longestWait(at: 180) == 50)
        #expect(recorder.begin(0, in: measured, lag: nil, wasFree: false, at: 200))
        #expect(recorder.longestWait(at: 240) == 50)
        #expect(recorder.longestWait(at: 270) == 70, "an access still waits")
        recorder.seal(at: 280)
        recorder.finish(.interrupted, timestamps: nil, waited: 300)
        #expect(recorder.longestWait(at: 999) == 80, "waits after the end are excluded")
    }

    @Test func anAccessThatHasEnteredNoLongerWaits() {
        let recorder = WorkerRecorder(operations: 1)
        #expect(recorder.begin(0, in: measured, lag: nil, wasFree: false, at: 100))
        recorder.enter(at: 110)
        #expect(recorder.longestWait(at: 500) == nil)
        recorder.seal(at: 500)
        #expect(recorder.longestWait(at: 900) == nil)
    }

    @Test func aHoldIsVisibleWhileItLasts() {
        let recorder = WorkerRecorder(operations: 1)
        var window = recorder.makeWindow()
        #expect(recorder.begin(0, in: measured, lag: nil, wasFree: false))
        #expect(recorder.exchange(&window) == nil)
        recorder.enter(at: 110)
        #expect(recorder.exchange(&window) == 110)
        recorder.finish(.interrupted, timestamps: timestamps)
        #expect(recorder.exchange(&window) == nil)
    }

    @Test func aRateCoversTheLastSecond() {
        var window = RateWindow()
        var rate = 0.0
        for tenth in 0...30 {
            let count = UInt64(tenth < 15 ? 0 : tenth * 10)
            rate = window.recordCount(count, at: Double(tenth) / 10)
        }
        #expect(abs(rate - 100) < 1)
    }
}
