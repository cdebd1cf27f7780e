import Scenarios
import Telemetry
import Testing
import WorkloadEngine

@testable import LoadTestSupport

/// Tests open loops in simulated time.
@Suite(.timeLimit(.minutes(5)))
struct OpenLoopRunTests {
    private func client(
        workers: Int = 1,
        rate: Double = 100,
        process: Arrival.Process = .poisson,
        skipAfter: Duration? = nil
    ) -> Client {
        .reader(
            "ui",
            workers: workers,
            pace: .open(Arrival(rate: rate, process: process, skipAfter: skipAfter))
        )
    }

    @Test func fastAndSlowTargetsReceiveTheSameLoad() async throws {
        var offered: [UInt64] = []
        for service in [milliseconds(1), milliseconds(30)] {
            let target = FakeTarget(clock: SimulatedClock(), .init(service: { _ in service }))
            let run = WorkloadRun.simulated(.test([client()]), on: target)
            let ui = try #require(try await run.run().clients["ui"])
            #expect(ui.isBalanced)
            offered.append(ui.offered)
        }
        #expect(offered[0] == offered[1])
        #expect((850...1150).contains(offered[0]))
    }

    /// A single stall of one second delays a tenth of all accesses.
    ///
    /// A generator that waits for its target would report a single slow access (*coordinated
    /// omission*).
    @Test func aStallAffectsThePercentiles() async throws {
        let target = FakeTarget(
            clock: SimulatedClock(),
            .init(service: { $0.number == 300 ? milliseconds(1000) : milliseconds(1) })
        )
        let run = WorkloadRun.simulated(.test([client(process: .even)]), on: target)
        let ui = try #require(try await run.run().clients["ui"])
        #expect(ui.completed == ui.offered)
        let p50 = try #require(ui.response?.p50)
        let p95 = try #require(ui.response?.p95)
        let service = try #require(ui.service?.p95)
        #expect(p50 < milliseconds(2))
        #expect(p95 > milliseconds(300))
        #expect(service < milliseconds(2))
        #expect(ui.late > 90)
    }

    @Test func arrivalsThatAreTooLateAreSkipped() async throws {
        let target = FakeTarget(
            clock: SimulatedClock(),
            .init(service: { $0.number == 300 ? milliseconds(1000) : milliseconds(1) })
        )
        let scenario = Scenario.test([
            client(process: .even, skipAfter: .milliseconds(250))
        ])
        let run = WorkloadRun.simulated(scenario, on: target)
        let ui = try #require(try await run.run().clients["ui"])
        #expect(ui.isBalanced)
        #expect((70...80).contains(ui.skipped))
        #expect(ui.started == ui.offered - ui.skipped)
        #expect(try #require(ui.lag?.max) <= milliseconds(255))
    }

    @Test func accessesQueuedAtTheEndOfTheDrainAreUnfinished() async throws {
        // The load offers 100 accesses per second for ten seconds. The target serves ten per
        // second.
        let target = FakeTarget(
            clock: SimulatedClock(),
            .init(service: { _ in milliseconds(100) })
        )
        let samples = Lock<[Sample]>([])
        let run = WorkloadRun.simulated(.test([client(process: .even)]), on: target) { sample in
            samples.withLock { $0.append(sample) }
        }
        let ui = try #require(try await run.run().clients["ui"])
        #expect(ui.isBalanced)
        #expect(ui.offered == 999)
        // Accesses are visible in samples while they wait.
        let middle = samples.withLock { $0.first { $0.time >= 5 } }
        let counts = try #require(middle?.clients.first?.counts)
        #expect((499...501).contains(counts.offered))
        #expect((445...455).contains(counts.unfinished))
        #expect(counts.isBalanced)
        #expect((115...121).contains(ui.completed))
        #expect(ui.unfinished == ui.offered - ui.completed)
    }

    @Test func workersShareOneSchedule() async throws {
        let target = FakeTarget(
            clock: SimulatedClock(),
            .init(service: { _ in milliseconds(20) })
        )
        let scenario = Scenario.test([client(workers: 4, process: .even)])
        let run = WorkloadRun.simulated(scenario, on: target)
        let ui = try #require(try await run.run().clients["ui"])
        #expect(ui.completed == 999)
        #expect(ui.late == 0)
        #expect(ui.targetRate == 100)
    }
}
