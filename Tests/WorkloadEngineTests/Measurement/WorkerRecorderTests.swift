import Testing

@testable import WorkloadEngine

struct WorkerRecorderTests {
    private let latencies = WorkerRecorder.Latencies(response: 30, wait: 10, service: 20)

    @Test func whatRunsWhenTheCountingEndsStaysUnfinished() {
        let recorder = WorkerRecorder(operations: 2)
        #expect(recorder.begin(1, lag: nil, wasFree: false, isMeasured: true))
        recorder.seal()
        recorder.finish(1, .completed(latencies))
        let reading = recorder.read()
        #expect(reading.running == 1)
        #expect(reading.counts[1].offered == 1)
        #expect(reading.counts[1].completed == 0)
        #expect(!recorder.begin(0, lag: nil, wasFree: false, isMeasured: true))
    }

    @Test func onlyAStartMoreThanAMillisecondAfterItsTimeIsLate() {
        let recorder = WorkerRecorder(operations: 1)
        for lag in [0, 1_000_000, 1_000_001] as [UInt64] {
            #expect(recorder.begin(0, lag: lag, wasFree: false, isMeasured: true))
            recorder.finish(0, .completed(latencies))
        }
        #expect(recorder.read().counts[0].late == 1)
    }

    @Test func unmeasuredAccessesCountNowhereButInTheLiveView() {
        let recorder = WorkerRecorder(operations: 1)
        #expect(recorder.begin(0, lag: 5, wasFree: true, isMeasured: false))
        recorder.retry(0)
        recorder.finish(0, .completed(latencies))
        recorder.skip(0, isMeasured: false)
        let reading = recorder.read()
        #expect(reading.counts == [.init()])
        #expect(reading.completed == 1)
        var window = WorkerRecorder.Window(operations: 1)
        recorder.exchange(&window)
        #expect(window.unmeasured[0].response.count == 1)
        #expect(window.measured[0].response.count == 0)
    }

    @Test func anExchangedWindowHoldsEachLatencyOnce() {
        let recorder = WorkerRecorder(operations: 1)
        var window = WorkerRecorder.Window(operations: 1)
        for _ in 1...3 {
            #expect(recorder.begin(0, lag: nil, wasFree: false, isMeasured: true))
            recorder.finish(0, .completed(latencies))
            recorder.exchange(&window)
            #expect(window.measured[0].response.count == 1)
            #expect(window.measured[0].wait.maximum == 10)
            window.clear()
        }
    }

    @Test func aRateLooksBackOneSecond() {
        var window = RateWindow()
        var rate = 0.0
        for tenth in 0...30 {
            rate = window.rate(at: Double(tenth) / 10, count: UInt64(tenth < 15 ? 0 : tenth * 10))
        }
        #expect(abs(rate - 100) < 1)
    }
}
