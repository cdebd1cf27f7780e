import Scenarios
import Telemetry
import Testing
import WorkloadEngine

@testable import Comparison
@testable import LoadTestSupport

@Suite(.timeLimit(.minutes(1)))
struct TrialRunnerTests {
    private func trials(on target: FakeTarget) -> TrialRunner {
        var options = RunOptions()
        options.clock = target.clock
        return TrialRunner(FakeFactory(target: target), options: options, limit: .seconds(600))
    }

    /// An overloaded arm must not gain an advantage by skipping accesses.
    @Test func skippedAccessesAreIncludedInAMeasurement() async throws {
        let target = FakeTarget(clock: SimulatedClock(), .init(service: { _ in milliseconds(50) }))
        let arrival = Arrival(rate: 100, process: .even, skipAfter: .milliseconds(200))
        let scenario = Scenario.test([.reader(pace: .open(arrival))])
        let trials = trials(on: target)
        let found = try await trials.measure(
            scenario,
            on: Arm(name: "arm", kind: .pool),
            datasetSeed: 1
        )
        let reader = try #require(found.result.clients["reader"])
        #expect(reader.skipped > 500)
        #expect(found.responses["reader"]?.count == reader.completed + reader.skipped)
    }

    @Test func aRunThatFailsIsNotReportedAsStopped() async throws {
        let target = FakeTarget(
            clock: SimulatedClock(),
            .init(
                service: { _ in milliseconds(50) },
                beforeAccess: { if $0.number == 20 { throw FakeFailure.full } }
            )
        )
        let trials = trials(on: target)
        let error = await #expect(throws: RunError.self) {
            try await trials.measure(
                .test([.reader()]),
                on: Arm(name: "pool", kind: .pool),
                datasetSeed: 1
            )
        }
        #expect(error?.code == .failed)
        #expect(error?.message.contains("arm 'pool' failed: reader: SQLITE_FULL") == true)
    }

    @Test func theOverheadOfAnArmComesFromItsLastRun() async throws {
        let target = FakeTarget(clock: SimulatedClock(), .init(service: { _ in milliseconds(50) }))
        let trials = trials(on: target)
        let arm = Arm(name: "arm", kind: .pool)
        #expect(trials.overhead(of: [arm]) == TrialRunner.guess)
        _ = try await trials.measure(.test([.reader()]), on: arm, datasetSeed: 1)
        // Simulated time uses no processor time.
        #expect(trials.overhead(of: [arm, Arm(name: "other", kind: .queue)]) == 0)
    }
}
