import Foundation
import Scenarios
import Synchronization
import Telemetry
import Testing

@testable import LoadTestSupport
@testable import Reports
@testable import WorkloadEngine

/// Tests the shares and the longest waits of a client's workers.
@Suite(.timeLimit(.minutes(5)))
struct FairnessTests {
    private func fairness(
        _ completed: [UInt64],
        waits: [UInt64?]? = nil,
        sharesArrivals: Bool = false,
        isSteady: Bool = true
    ) -> FairnessResult {
        FairnessResult(
            completed: completed,
            waits: waits ?? completed.map { _ in nil },
            sharesArrivals: sharesArrivals,
            isSteady: isSteady
        )
    }

    @Test func sharesAreRelativeToTheMean() {
        let result = fairness([62, 100, 138], waits: [5, 7, 6])
        #expect(result.workers == 3)
        #expect(result.smallestShare == 0.62)
        #expect(result.largestShare == 1.38)
        #expect(result.longestWait == 7)
        #expect(result.longestWaitWorker == 2)
        #expect(fairness([0, 60]).smallestShare == 0, "a worker can starve")
    }

    @Test func sharesNeedEnoughAccessesAndASteadyNumberOfWorkers() {
        #expect(fairness([9, 10]).smallestShare == nil)
        #expect(fairness([10, 10]).smallestShare == 1)
        #expect(fairness([10, 10], isSteady: false).smallestShare == nil)
    }

    @Test func workersThatShareArrivalsHaveOnlyALongestWait() {
        let result = fairness([100, 300], waits: [3, nil], sharesArrivals: true)
        #expect(result.smallestShare == nil)
        #expect(result.largestShare == nil)
        #expect(result.longestWait == 3)
        #expect(result.longestWaitWorker == nil)
    }

    /// Returns a target on which one worker is slow.
    ///
    /// Each access by the worker that makes the first access takes ten times as long.
    private func target() -> FakeTarget {
        let slow = Lock<UInt?>(nil)
        return FakeTarget(
            clock: SimulatedClock(),
            .init(
                wait: { milliseconds($0.number == 700 ? 41 : 0) },
                service: { access in
                    let thread = UInt(bitPattern: ObjectIdentifier(Thread.current).hashValue)
                    let first = slow.withLock { slow in
                        if access.number == 0 { slow = thread }
                        return slow
                    }
                    return milliseconds(first == thread ? 100 : 10)
                }
            )
        )
    }

    @Test func aSlowWorkerOfAClosedLoopHasASmallShare() async throws {
        let scenario = Scenario.test([.reader("reads", workers: 3)], warmUp: .seconds(2))
        let result = try await WorkloadRun.simulated(scenario, on: target()).run()
        let fairness = try #require(result.clients["reads"]?.fairness)
        // One worker makes 100 accesses, and each of the other workers makes 1,000.
        #expect(abs((fairness.smallestShare ?? 0) - 100 / 700) < 0.005)
        #expect(abs((fairness.largestShare ?? 0) - 1000 / 700) < 0.005)
        #expect(fairness.longestWait == milliseconds(41))
        #expect((1...3).contains(fairness.longestWaitWorker ?? 0))
        #expect(result.value(of: "reads.fairness", "min") == fairness.smallestShare)
        #expect(result.value(of: "reads.longest-wait", "max") == 41e6)
        let text = TextReport.fairness(result)
        #expect(text.count == 1)
        #expect(text[0].hasPrefix("  fairness of reads: smallest share 0.14 of an equal share, "))
        #expect(text[0].contains("longest wait 41.0 ms (worker "))
    }

    @Test func anOpenLoopAndASingleWorkerHaveNoShares() async throws {
        let open = Client.reader(
            "open",
            workers: 2,
            pace: .open(Arrival(rate: 100, process: .even))
        )
        let scenario = Scenario.test([open, .reader("single")])
        let result = try await WorkloadRun.simulated(scenario, on: target()).run()
        let fairness = try #require(result.clients["open"]?.fairness)
        #expect(fairness.workers == 2)
        #expect(fairness.smallestShare == nil)
        #expect(fairness.longestWait != nil)
        #expect(result.clients["single"]?.fairness == nil)
    }
}
