import Scenarios
import Synchronization
import Telemetry
import Testing
import WorkloadEngine

@testable import LoadTestSupport

/// Tests that the exported histogram contains the same accesses as the result.
@Suite(.timeLimit(.minutes(1)))
struct ResponseBucketsTests {
    @Test func theLastSampleCountsTheMeasuredAccesses() async throws {
        let last = Mutex<Sample?>(nil)
        let target = FakeTarget(
            clock: SimulatedClock(),
            .init(service: { milliseconds($0.number.isMultiple(of: 4) ? 40 : 5) })
        )
        let scenario = Scenario.test(
            [.reader(workers: 2, pace: .open(Arrival(rate: 20)))],
            warmUp: .seconds(3)
        )
        let run = WorkloadRun.simulated(scenario, on: target) { sample in
            last.withLock { $0 = sample }
        }
        let result = try await run.run()
        let client = try #require(result.clients["reader"])
        let sample = try #require(last.withLock { $0 })
        #expect(sample.state == .finished)
        let buckets = try #require(sample.clients.first?.responseBuckets)
        #expect(client.completed > 100)
        #expect(buckets.counts.reduce(0, +) == client.completed)
        let response = try #require(client.response)
        let mean = Double(buckets.sum) / Double(client.completed)
        #expect(abs(mean - Double(response.mean)) <= 1)
        // The accesses take 5 ms and 40 ms.
        #expect(buckets.counts.filter { $0 > 0 }.count >= 2)
        #expect(sample.clients.first?.counts.completed == client.completed)
    }
}
