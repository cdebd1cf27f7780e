import Foundation
import Scenarios
import Telemetry
import Testing
import WorkloadEngine

@testable import Comparison
@testable import LoadTestSupport
@testable import Reports

/// Tests screening and confirmation on targets with service times that depend on the arm.
@Suite(.timeLimit(.minutes(5)))
struct AdviceRunTests {
    /// A factory for targets with the service time that `service` returns for the arm.
    ///
    /// The service time is in nanoseconds.
    private struct Factory: WorkloadTargetFactory {
        let clock = SimulatedClock()
        let openCounts = Lock<[String: Int]>([:])
        /// The number of runs after which the present arm finds a full disk.
        var fullAfter = Int.max
        let service: @Sendable (Arm) -> UInt64

        func open(_ arm: Arm, at path: String) throws -> any WorkloadTarget {
            try Data().write(to: URL(fileURLWithPath: path))
            let count = openCounts.withLock { openCounts in
                openCounts[arm.name, default: 0] += 1
                return openCounts[arm.name] ?? 0
            }
            let isFull = arm.name == "present" && count > fullAfter
            let time = service(arm)
            var behavior = FakeTarget.Behavior(
                hasSnapshots: arm.kind == .pool,
                service: { _ in time },
                beforeAccess: { if isFull, $0.number == 60 { throw FakeFailure.full } }
            )
            if arm.library != .raw { behavior.plan = { _ in ["SCAN t"] } }
            return FakeTarget(clock: clock, behavior)
        }
    }

    private func advice(
        _ arm: Arm,
        clients: [Client] = [.reader()],
        primary: [String] = [],
        limit: Duration = .seconds(300),
        service: @escaping @Sendable (Arm) -> UInt64
    ) async throws -> AdviceResult {
        try await advice(
            arm,
            clients: clients,
            primary: primary,
            limit: limit,
            on: Factory(service: service)
        )
    }

    private func advice(
        _ arm: Arm,
        clients: [Client] = [.reader()],
        primary: [String] = [],
        limit: Duration = .seconds(300),
        indexes: [[String]] = [["CREATE INDEX advised_t_a ON t (a)"]],
        on factory: Factory
    ) async throws -> AdviceResult {
        var scenario = Scenario.test(clients, measured: .seconds(10))
        scenario.arms = [arm]
        scenario.primary = primary
        var options = AdviceOptions()
        options.timeLimit = limit
        options.run.clock = factory.clock
        options.indexes = { _, plans in
            IndexAdvice(
                indexes: plans.contains { $0.sql == "SELECT 1" } ? indexes : []
            )
        }
        return try await AdviceRun(scenario: scenario, factory: factory, options: options).run()
    }

    @Test func aChangeThatHelpsIsRecommended() async throws {
        let result = try await advice(Arm(name: "present", kind: .pool, readers: 2)) { arm in
            let isLarge = arm.pragmas.contains { $0.name == "cache_size" }
            return milliseconds(isLarge ? 2 : 10)
        }
        #expect(!result.partial)
        try #require(result.recommended.count == 1)
        let found = result.recommended[0]
        #expect(found.change == "pragmas: {cache_size: -65536}")
        #expect((4.8...5.2).contains(found.effect))
        #expect(found.confirmed?.allSatisfy { $0.primary } == true)
        #expect(result.candidates.first == found)
        #expect(result.answer.contains("1 of"))
        let text = AdviceReport.text(of: result)
        #expect(text.contains("1. cache-size-65536: reader throughput 5.0× higher"))
        #expect(text.contains("did not help"))
        #expect(result.exitStatus == .passed)
    }

    @Test func nothingIsRecommendedIfNothingHelps() async throws {
        let result = try await advice(Arm(name: "present", kind: .queue)) { _ in milliseconds(10) }
        #expect(result.recommended.isEmpty)
        #expect(result.blocks == 0)
        #expect(result.candidates.allSatisfy { $0.verdict == .notPromising && $0.bound == 1 })
        // More rounds exclude smaller effects.
        #expect(result.screeningRounds == 8)
        #expect(result.answer.contains("no improvement was confirmed"))
    }

    @Test func anImprovementBelowTenPercentIsNotRecommended() async throws {
        let result = try await advice(Arm(name: "present", kind: .pool, readers: 2)) { arm in
            let isLarge = arm.pragmas.contains { $0.name == "cache_size" }
            return isLarge ? 9_300_000 : milliseconds(10)
        }
        #expect(result.recommended.isEmpty)
        let found = try #require(result.candidates.first)
        #expect(found.verdict == .small)
        #expect(found.change == "pragmas: {cache_size: -65536}")
        #expect(result.answer.contains("no improvement was confirmed"))
        let text = AdviceReport.text(of: result)
        #expect(text.contains("less than 1.1× better: reader throughput 1.0"))
    }

    @Test func anIndexIsReportedWithItsCostForWrites() async throws {
        var writer = Client(
            name: "save",
            activity: .operations(.write, mix: [Operation(name: "w", statements: ["SELECT 2"])])
        )
        writer.pace = .closed(think: .milliseconds(5))
        let result = try await advice(
            Arm(name: "present", kind: .pool, readers: 2),
            clients: [.reader(), writer],
            primary: ["reader.throughput"]
        ) { milliseconds($0.setup.isEmpty ? 10 : 2) }
        let index = try #require(result.recommended.first { $0.change.hasPrefix("CREATE INDEX") })
        #expect(index.writes?.map(\.metric) == ["save.response.p50"])
        #expect(AdviceReport.text(of: result).contains("writes: save p50 5.0× lower"))
        #expect(result.noiseFloor == ["reader.throughput": 1])
    }

    /// The large effect of one index hides the small effect of another in the first confirmation.
    @Test func anIndexOfAnotherTableIsConfirmedAfterALargeEffect() async throws {
        let indexes = ["CREATE INDEX advised_t_a ON t (a)", "CREATE INDEX advised_u_b ON u (b)"]
        let factory = Factory { arm in
            if arm.setup.contains(indexes[0]) { return 200_000 }
            if arm.setup.contains(indexes[1]) { return milliseconds(8) }
            return milliseconds(arm.pragmas.contains { $0.name == "cache_size" } ? 7 : 10)
        }
        let result = try await advice(
            Arm(name: "present", kind: .pool, readers: 2),
            indexes: indexes.map { [$0] },
            on: factory
        )
        #expect(result.recommended.map(\.change) == indexes)
        let cache = result.candidates.first { $0.change.contains("cache_size") }
        #expect(cache?.reason?.contains("run advise again") == true)
    }

    /// A run of the screening has too few accesses for a median.
    @Test func aLargeEffectOnAFewAccessesIsFound() async throws {
        var reader = Client.reader()
        reader.pace = .open(Arrival(rate: 6))
        let result = try await advice(
            Arm(name: "present", kind: .pool, readers: 2),
            clients: [reader],
            primary: ["reader.response.p99"],
            limit: .seconds(110)
        ) { arm in
            arm.setup.contains { $0.hasPrefix("CREATE INDEX") } ? 100_000 : milliseconds(20)
        }
        #expect(result.screeningSeconds < 20 / 6)
        #expect(result.recommended.map(\.change) == ["CREATE INDEX advised_t_a ON t (a)"])
    }

    @Test func anIndexOfAConfirmedGroupIsNotRecommendedAgain() async throws {
        let indexes = ["CREATE INDEX advised_t_a ON t (a)", "CREATE INDEX advised_u_b ON u (b)"]
        let factory = Factory { arm in
            milliseconds([10, 6, 1][arm.setup.count { indexes.contains($0) }])
        }
        let result = try await advice(
            Arm(name: "present", kind: .pool, readers: 2),
            indexes: [indexes] + indexes.map { [$0] },
            on: factory
        )
        #expect(result.recommended.map(\.change) == [indexes.joined(separator: "; ")])
    }

    /// The statements of a recommendation are those that help.
    @Test func anIndexWithoutAnEffectIsNotPartOfARecommendation() async throws {
        let indexes = ["CREATE INDEX advised_t_a ON t (a)", "CREATE INDEX advised_u_b ON u (b)"]
        let factory = Factory { milliseconds($0.setup.contains(indexes[0]) ? 2 : 10) }
        let result = try await advice(
            Arm(name: "present", kind: .pool, readers: 2),
            indexes: [indexes] + indexes.map { [$0] },
            on: factory
        )
        #expect(result.recommended.map(\.change) == [indexes[0]])
        let both = result.candidates.first { $0.change == indexes.joined(separator: "; ") }
        #expect(both?.verdict == .notConfirmed)
    }

    @Test func indexesAreAlsoProposedForALibraryWithoutPlans() async throws {
        let arm = Arm(name: "present", kind: .queue, library: .raw)
        let result = try await advice(arm) { _ in milliseconds(10) }
        #expect(result.candidates.contains { $0.change == "CREATE INDEX advised_t_a ON t (a)" })
    }

    /// Of ten candidates, five run in the second round and four in the third round.
    @Test func laterRoundsOmitTheLessPromisingHalf() async throws {
        let factory = Factory { arm in
            if arm.readers == 8 { return milliseconds(8) }
            return milliseconds(
                arm.readers == 2 && arm.pragmas.isEmpty && arm.setup.isEmpty ? 10 : 20
            )
        }
        let result = try await advice(Arm(name: "present", kind: .pool, readers: 2), on: factory)
        #expect(result.screeningRounds == 3)
        let runs = factory.openCounts.withLock { openCounts in
            result.candidates.map { openCounts[$0.name] ?? 0 }.sorted()
        }
        // The best candidate also ran in the confirmation.
        #expect(runs.dropLast() == [1, 1, 1, 1, 1, 2, 3, 3, 3])
        #expect(result.recommended.map(\.name) == ["readers-8"])
    }

    @Test func aChangeThatWeakensDurabilityIsNotRecommended() async throws {
        let result = try await advice(Arm(name: "present", kind: .queue)) { arm in
            milliseconds(arm.synchronous == "normal" ? 2 : 10)
        }
        #expect(result.recommended.isEmpty)
        let last = try #require(result.candidates.last)
        #expect(last.weakensDurability && last.change == "journal: wal, synchronous: normal")
        let text = AdviceReport.text(of: result)
        #expect(text.contains("These changes weaken durability and are not recommended:"))
        #expect(!result.candidates.contains { $0.change.contains("synchronous: off") })
    }

    @Test func anUnknownArmIsReported() throws {
        var scenario = Scenario.test([.reader()])
        scenario.arms = [Arm(name: "pool", kind: .pool)]
        var options = AdviceOptions()
        options.arm = "pol"
        let error = #expect(throws: RunError.self) {
            try AdviceRun(
                scenario: scenario,
                factory: Factory { _ in 1 },
                options: options
            )
        }
        #expect(error?.description.contains("did you mean 'pool'?") == true)
    }

    /// A client that comes every four seconds is part of each run.
    @Test func eachRunContainsARareWriter() async throws {
        var sync = Client(
            name: "sync",
            activity: .operations(.write, mix: [Operation(name: "w", statements: ["SELECT 2"])])
        )
        sync.pace = .open(Arrival(rate: 0.25))
        let result = try await advice(
            Arm(name: "present", kind: .pool, readers: 2),
            clients: [.reader(), sync],
            primary: ["reader.throughput"]
        ) { arm in milliseconds(arm.pragmas.contains { $0.name == "cache_size" } ? 2 : 10) }
        #expect(result.screeningSeconds >= 4)
        #expect(result.confirmingSeconds ?? 0 >= 4)
        #expect(result.recommended.map(\.change) == ["pragmas: {cache_size: -65536}"])
    }

    @Test func timeThatIsMissingIsStated() async throws {
        var sync = Client(
            name: "sync",
            activity: .operations(.write, mix: [Operation(name: "w", statements: ["SELECT 2"])])
        )
        sync.pace = .open(Arrival(rate: 0.001))
        let result = try await advice(
            Arm(name: "present", kind: .pool, readers: 2),
            clients: [.reader(), sync],
            limit: .seconds(60)
        ) { _ in milliseconds(10) }
        #expect(result.partial && result.exitStatus == .undecided)
        #expect(result.partialReason?.contains("each run must last 1020.0 s") == true)
        #expect(result.candidates.isEmpty)
    }

    @Test func candidatesThatWereJudgedBeforeAFailureAreKept() async throws {
        let arm = Arm(name: "present", kind: .pool, readers: 2)
        let factory = Factory(fullAfter: 4) { arm in milliseconds(arm.readers == 8 ? 2 : 10) }
        let result = try await advice(arm, on: factory)
        // Two runs precede the confirmation.
        #expect(result.blocks == 0)
        #expect(result.partial)
        #expect(result.partialReason?.contains("full") == true)
        #expect(result.candidates.contains { $0.verdict == .notPromising })
        let best = result.candidates.first { $0.name == "readers-8" }
        #expect(best?.verdict == .notConfirmed)
        #expect(best?.reason == "a run failed")
        #expect(result.recommended.isEmpty)
    }

    @Test func everyLineFitsAndEachCandidateHasAnOutcome() async throws {
        let result = try await advice(Arm(name: "present", kind: .pool, readers: 2)) { arm in
            milliseconds(arm.readers == 8 ? 2 : arm.readers == 4 ? 3 : 10)
        }
        #expect(result.recommended.map(\.name) == ["readers-8"])
        let four = try #require(result.candidates.first { $0.name == "readers-4" })
        #expect(four.verdict == .notConfirmed && four.neededSeconds == nil)
        #expect(four.reason == "readers-8 was better in the screening")
        #expect(result.exitStatus == .passed)
        let text = AdviceReport.text(of: result)
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= 100 })
        #expect(
            text.contains("   ANALYZE")
                || text.contains("analysis_limit = 0; ANALYZE: no effect above 1.1×")
        )
        for candidate in result.candidates where candidate.verdict == .notPromising {
            #expect(candidate.bound ?? 0 >= 1)
        }
    }

    @Test func theTimeOfACandidateThatWasNotTestedIsStated() {
        var screened = ScreenedCandidate(
            AdviceCandidate(
                kind: .cache,
                arm: Arm(name: "cache", kind: .pool),
                change: "x",
                cost: ""
            )
        )
        screened.gains = [0.3]
        let result = screened.notTested(nil, needed: 250)
        #expect(result.neededSeconds == 250)
        #expect(
            AdviceReport.outcome(of: result)
                == "not tested, needs 5 min (--within 5m) (1.4× in the screening)"
        )
        #expect(screened.notTested("stopped", needed: 250).neededSeconds == nil)
        // An effect is excluded only if no accesses that did not end may hide it.
        screened.gains = [0]
        let excluded = AdviceReport.outcome(of: screened.result(.notPromising))
        #expect(excluded == "no effect above 1.1× in the screening")
        screened.isOpen = true
        let unknown = AdviceReport.outcome(of: screened.result(.notPromising))
        #expect(unknown == "effect unknown: too few accesses in the screening")
    }
}
