import Isolation
import Telemetry
import Testing

@testable import WorkloadEngine

/// Tests the transactions of the isolation invariant during a load, in simulated time.
@Suite(.timeLimit(.minutes(2)))
struct IsolationWatchTests {
    /// Runs a light load with the invariant.
    private func run(
        _ behavior: FakeTarget.Behavior,
        on clock: SimulatedClock = SimulatedClock(),
        measured: Duration = .seconds(10),
        onSample: (@Sendable (Sample) -> Void)? = nil
    ) async throws -> (result: ArmResult, target: FakeTarget) {
        var scenario = Scenario.test(
            [.reader(pace: .closed(think: .seconds(1)))],
            measured: measured
        )
        scenario.invariants = ["isolation"]
        let target = FakeTarget(clock: clock, behavior)
        let run = WorkloadRun.simulated(scenario, on: target, onSample: onSample)
        return (try await run.run(), target)
    }

    @Test func lostWritesAreFoundWhileTheLoadRuns() async throws {
        let events = Lock<[String]>([])
        // No query returns rows, regardless of what was written.
        let (result, target) = try await run(.init(hasSnapshots: false)) { sample in
            events.withLock { $0 += sample.events.map(\.message) }
        }
        let isolation = try #require(result.invariants.first)
        #expect(isolation.passed == false)
        #expect(isolation.detail.contains("transaction that does not see its own write"))
        #expect(result.exitStatus == .invariantViolated)
        let violations = events.withLock { $0 }.filter { $0.hasPrefix("isolation violated: ") }
        #expect(violations.count == 1)
        #expect(target.isClosed)
    }

    @Test func theTransactionsUseASmallShareOfTheTime() async throws {
        let clock = SimulatedClock()
        var behavior = FakeTarget.Behavior(hasSnapshots: false)
        behavior.statement = { _ = clock.spend(milliseconds(1)) }
        let (_, target) = try await run(behavior, on: clock, measured: .seconds(600))
        let statements = target.statements.count { $0.sql.contains(ObjectTable.invariant.name) }
        // Each statement takes a millisecond. The total is about one fiftieth of ten minutes, plus
        // at most one round.
        #expect((6000...13_500).contains(statements), "\(statements) statements")
    }

    @Test func theTableIsCreatedBeforeAndRemovedAfterTheLoad() async throws {
        let (result, target) = try await run(.init(hasSnapshots: false))
        let statements = target.statements.map(\.sql)
        #expect(statements.first == "DROP TABLE IF EXISTS poolgauge_isolation")
        #expect(statements.dropFirst().first?.hasPrefix("CREATE TABLE poolgauge_isolation") == true)
        #expect(statements.last == "DROP TABLE IF EXISTS poolgauge_isolation")
        #expect(result.clients.keys.sorted() == ["reader"])
        #expect(result.clients["reader"]?.completed == 10)
    }

    @Test func anErrorOnTheTableIsReported() async throws {
        var behavior = FakeTarget.Behavior()
        behavior.beforeAccess = { if $0.kind == .write { throw FakeFailure.broken } }
        let (result, _) = try await run(behavior)
        let isolation = try #require(result.invariants.first)
        #expect(isolation.passed == false)
        #expect(isolation.detail == "could not be checked: broken")
    }

    @Test func aLoadWithoutTheInvariantMakesNoOtherAccesses() async throws {
        let target = FakeTarget(clock: SimulatedClock())
        let scenario = Scenario.test([.reader(pace: .closed(think: .seconds(1)))])
        _ = try await WorkloadRun.simulated(scenario, on: target).run()
        #expect(target.accesses.allSatisfy { ["reader", "environment"].contains($0.client) })
    }
}
