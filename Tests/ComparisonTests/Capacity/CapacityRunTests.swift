import Comparison
import Foundation
import Reports
import Scenarios
import Telemetry
import Testing
import WorkloadEngine

@testable import LoadTestSupport

@Suite(.timeLimit(.minutes(5)))
struct CapacityRunTests {
    /// A factory for targets on which an access takes 10 ms divided by the number of readers.
    private final class Factory: WorkloadTargetFactory {
        let clock = SimulatedClock()
        private let opened = Lock(0)
        private let fullAfter: Int

        /// The disk is full after `fullAfter` runs.
        init(fullAfter: Int = .max) { self.fullAfter = fullAfter }

        func open(_ arm: Arm, at path: String) throws -> any WorkloadTarget {
            try Data().write(to: URL(fileURLWithPath: path))
            let isFull = opened.withLock { opened in
                opened += 1
                return opened > fullAfter
            }
            let service = 10_000_000 / UInt64(arm.kind == .pool ? arm.readers ?? 1 : 1)
            return FakeTarget(
                clock: clock,
                .init(
                    hasSnapshots: arm.kind == .pool,
                    service: { _ in service },
                    beforeAccess: { _ in if isFull { throw FakeFailure.full } }
                )
            )
        }
    }

    private func scenario(_ clients: [Client]) -> Scenario {
        var scenario = Scenario.test(clients, measured: .seconds(10))
        scenario.arms = [
            Arm(name: "queue", kind: .queue), Arm(name: "pool", kind: .pool, readers: 2),
        ]
        return scenario
    }

    private func options(_ factory: Factory) -> CapacityOptions {
        var options = CapacityOptions(arms: ["queue", "pool"])
        options.run.clock = factory.clock
        options.timeLimit = .seconds(3600)
        options.duration = .seconds(5)
        return options
    }

    private let openClient = Client.reader(
        "ui",
        workers: 1,
        pace: .open(Arrival(rate: 20, process: .even))
    )

    @Test func theCapacityOfEachArmIsFoundAndBothAreComparedAtEqualLoad() async throws {
        let factory = Factory()
        let search = try CapacityRun(
            scenario: scenario([openClient]),
            factory: factory,
            options: options(factory)
        )
        let result = try await search.run()
        #expect(!result.partial)
        #expect(result.load.origin == .open)
        try #require(result.arms.map(\.arm) == ["queue", "pool"])
        // With one worker and even arrivals, the capacities are 100 and 200 per second. They are
        // slightly higher in a short run.
        for (arm, limit) in zip(result.arms, [100.0, 200]) {
            let capacity = try #require(arm.capacity)
            #expect((limit * 0.9...limit * 1.06).contains(capacity), "\(arm.arm): \(capacity)")
            #expect(arm.confirmed)
            #expect(arm.failureConfirmed)
            #expect(arm.failsAt ?? 0 > capacity)
            #expect(arm.failsAt ?? .infinity < capacity * 1.12)
            #expect(arm.failure != nil)
        }
        let loads = try #require(result.equalLoads)
        #expect(loads.map(\.share) == [0.5, 0.7, 0.9])
        for load in loads {
            #expect(load.arms.map(\.arm) == ["queue", "pool"])
            let medians = load.arms.compactMap { $0.response["ui"]?.p50 }
            #expect(medians.count == 2)
            #expect(medians[0] > medians[1])
            #expect(load.arms.allSatisfy { $0.missed == nil })
        }
        let text = CapacityReport.text(of: result)
        #expect(text.hasPrefix("test: pool sustains "))
        #expect(text.contains("at most 2.00%"))
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= 100 })
        #expect(CapacityReport.markdown(of: result).contains("| pool | "))
        let data = try JSONEncoder().encode(result)
        #expect(try JSONDecoder().decode(CapacityResult.self, from: data) == result)
        #expect(result.schema == "poolgauge.capacity/1")
    }

    @Test func armsAlternate() async throws {
        let factory = Factory()
        var options = options(factory)
        let lines = Lock<[String]>([])
        options.onProgress = { line in lines.withLock { $0.append(line) } }
        let search = try CapacityRun(
            scenario: scenario([openClient]),
            factory: factory,
            options: options
        )
        _ = try await search.run()
        // If the arms alternate, their results are equally precise when the time limit is reached.
        let arms = lines.withLock { $0 }.prefix(6).map { $0.prefix { $0 != ":" } }
        #expect(arms == ["queue", "pool", "queue", "pool", "queue", "pool"])
    }

    @Test func closedLoopsBecomeArrivals() async throws {
        let factory = Factory()
        var options = options(factory)
        options.arms = ["queue"]
        let search = try CapacityRun(
            scenario: scenario([.reader("ui", workers: 1)]),
            factory: factory,
            options: options
        )
        #expect(search.plan.load.contains("converts the closed loops to arrivals"))
        let result = try await search.run()
        #expect(result.load.origin == .converted)
        let capacity = try #require(result.arms.first?.capacity)
        // With Poisson arrivals, the 99th percentile reaches 50 ms well below full utilization.
        #expect((50...98).contains(capacity), "\(capacity)")
        #expect(result.equalLoads == nil)
    }

    @Test func theFewestReadersForARateAreFound() async throws {
        let factory = Factory()
        var options = options(factory)
        options.arms = ["pool"]
        options.rate = 350
        options.readers = [1, 2, 4, 8]
        options.equalLoads = []
        let search = try CapacityRun(
            scenario: scenario([openClient]),
            factory: factory,
            options: options
        )
        let result = try await search.run()
        #expect(result.readers?.first?.smallest == 4)
        #expect(result.readers?.first?.failure != nil)
        let capacities = result.arms.compactMap(\.capacity)
        #expect(result.arms.map(\.readers) == [1, 2, 4, 8])
        #expect(capacities == capacities.sorted())
        #expect(CapacityReport.text(of: result).contains("maximumReaderCount 4 is the smallest"))
    }

    /// A factory for targets on which three of a hundred accesses take 95 ms at any rate.
    private struct SlowFactory: WorkloadTargetFactory {
        let clock = SimulatedClock()

        func open(_ arm: Arm, at path: String) throws -> any WorkloadTarget {
            try Data().write(to: URL(fileURLWithPath: path))
            return FakeTarget(
                clock: clock,
                .init(service: { milliseconds($0.number % 100 < 3 ? 95 : 1) })
            )
        }
    }

    private func search(
        _ factory: SlowFactory,
        within: Duration,
        duration: Duration = .seconds(2)
    ) async throws -> CapacityResult {
        var options = CapacityOptions(arms: ["queue"])
        options.run.clock = factory.clock
        options.timeLimit = within
        options.duration = duration
        let client = Client.reader(
            "ui",
            workers: 16,
            pace: .open(Arrival(rate: 40, process: .even))
        )
        return try await CapacityRun(
            scenario: scenario([client]),
            factory: factory,
            options: options
        ).run()
    }

    @Test func aLimitThatEveryRateMissesIsNeverConfirmed() async throws {
        let result = try await search(SlowFactory(), within: .seconds(36_000))
        let arm = try #require(result.arms.first)
        #expect(arm.capacity == nil)
        #expect(!arm.confirmed)
        let text = CapacityReport.text(of: result)
        #expect(text.contains("none: fails at every rate"))
        #expect(text.contains("ui.response p(99) was 9"))
        #expect(result.exitStatus == .thresholdMissed)
    }

    @Test func tooFewSamplesLeaveTheCapacityUndecided() async throws {
        // A long run at 200/s takes five seconds to collect a thousand samples.
        let result = try await search(SlowFactory(), within: .seconds(4), duration: .seconds(1))
        let arm = try #require(result.arms.first)
        #expect(arm.capacity == nil)
        #expect(!arm.confirmed)
        #expect(CapacityReport.text(of: result).contains("undecided"))
        #expect(result.exitStatus.rawValue == 6)
    }

    @Test func aSearchThatReachesItsTimeLimitReturnsPartialResults() async throws {
        let factory = Factory()
        var options = options(factory)
        options.timeLimit = .milliseconds(1)
        let search = try CapacityRun(
            scenario: scenario([openClient]),
            factory: factory,
            options: options
        )
        let result = try await search.run()
        #expect(result.partial)
        #expect(result.partialReason?.contains("--within") == true)
    }

    @Test func capacitiesThatWereFoundBeforeAFailureAreKept() async throws {
        func result(fullAfter: Int) async throws -> CapacityResult {
            let factory = Factory(fullAfter: fullAfter)
            var options = options(factory)
            options.arms = ["queue"]
            return try await CapacityRun(
                scenario: scenario([openClient]),
                factory: factory,
                options: options
            ).run()
        }
        let found = try await result(fullAfter: 4)
        #expect(found.partial)
        #expect(found.partialReason?.contains("full") == true)
        #expect(found.arms.first?.capacity != nil)
        let error = await #expect(throws: RunError.self) { try await result(fullAfter: 0) }
        #expect(error?.code == .failed)
    }

    @Test func clientsWithoutArrivalsAreReported() throws {
        let interrupter = Client.doing(.interrupt, named: "cancel", pace: .every(.share(0.1)))
        let error = #expect(throws: RunError.self) { try OfferedLoad(scenario([interrupter])) }
        #expect(error?.message.contains("arrival: {rate: 100/s}") == true)
    }

    @Test func theRateIsDividedInTheProportionsOfTheScenario() throws {
        let slow = Client.reader("slow", pace: .open(Arrival(rate: 60)))
        let load = try OfferedLoad(scenario([openClient, slow, .reader("busy")]))
        #expect(load.parts.map(\.share) == [0.25, 0.75])
        #expect(load.background == ["busy"])
        #expect(load.ownRate == 80)
        let rates = load.scenario(at: 400).clients.map { client -> Double? in
            guard case .open(let arrival) = client.pace else { return nil }
            return arrival.rate
        }
        #expect(rates == [100, 300, nil])
    }
}
