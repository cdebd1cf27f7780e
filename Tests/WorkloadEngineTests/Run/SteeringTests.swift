import Telemetry
import Testing

@testable import WorkloadEngine

/// What somebody does to a run from outside.
@Suite(.timeLimit(.minutes(5)))
struct SteeringTests {
    /// Something to do to a run at a moment of simulated time.
    private struct Step: Sendable {
        var time: UInt64
        var action: @Sendable (WorkloadRun) -> Void

        init(_ milliseconds: UInt64, _ action: @escaping @Sendable (WorkloadRun) -> Void) {
            time = milliseconds * 1_000_000
            self.action = action
        }
    }

    /// Runs a scenario, and steers it as the steps say.
    private func runScenario(
        _ scenario: Scenario,
        _ behaviour: FakeTarget.Behaviour = .init(),
        at steps: [Step],
        onSample: (@Sendable (Sample) -> Void)? = nil
    ) async throws -> (ArmResult, FakeTarget) {
        let clock = SimulatedClock()
        let start = clock.now()
        let handle = Lock<(run: WorkloadRun?, next: Int)>((nil, 0))
        let target = FakeTarget(clock: clock, behaviour)
        let run = WorkloadRun.simulated(scenario, on: target) { sample in
            onSample?(sample)
            let due = handle.withLock { state -> (WorkloadRun, Int)? in
                guard sample.state != .preparing, state.next < steps.count,
                    clock.now() - start >= steps[state.next].time, let run = state.run
                else { return nil }
                state.next += 1
                return (run, state.next - 1)
            }
            if let due { steps[due.1].action(due.0) }
        }
        handle.withLock { $0.run = run }
        let result = try await run.run()
        handle.withLock { $0.run = nil }
        return (result, target)
    }

    @Test func aPauseShiftsTheScheduleAndCountsNowhere() async throws {
        let scenario = Scenario.test([
            .reader("open", pace: .open(Arrival(rate: 10, process: .even))),
            .reader("closed", pace: .closed(think: .milliseconds(100))),
        ])
        let paused = Lock(0)
        let (result, target) = try await runScenario(
            scenario,
            at: [Step(2050, { $0.pause() }), Step(5050, { $0.resume() })],
            onSample: { if $0.state == .paused { paused.withLock { $0 += 1 } } }
        )
        #expect(!result.partial)
        #expect(result.duration == 10)
        #expect(paused.withLock { $0 } >= 29)
        let open = try #require(result.clients["open"])
        #expect(open.offered == 99)
        #expect(open.completed == 99)
        #expect(open.late == 0, "time stands still in a pause")
        let times = target.accesses.map(\.time).sorted()
        let gap = zip(times.dropFirst(), times).map { $0 - $1 }.max()
        #expect(try #require(gap) >= milliseconds(3000))
    }

    @Test func snapshotsCanBeTakenAndReleasedFromOutside() async throws {
        var scenario = Scenario.test([.reader(pace: .closed(think: .milliseconds(100)))])
        scenario.invariants = ["snapshots-stable"]
        let messages = Lock<[String]>([])
        let (result, target) = try await runScenario(
            scenario,
            at: [
                Step(1000, { $0.makeSnapshot() }),
                Step(2000, { $0.makeSnapshot() }),
                Step(3000, { $0.releaseSnapshot() }),
                Step(4000, { $0.interrupt() }),
            ],
            onSample: { sample in messages.withLock { $0 += sample.events.map(\.message) } }
        )
        #expect(target.snapshotsAlive == 0, "the end of the run releases the rest")
        #expect(target.interrupts == 1)
        #expect(result.invariants.first?.passed == true)
        let seen = messages.withLock { $0 }
        #expect(seen.contains("you took a snapshot: 2 kept"))
        #expect(seen.contains("you released a snapshot: 1 kept"))
        #expect(seen.contains("you interrupt"))
    }

    @Test func aSnapshotOfAnArmWithoutSnapshotsIsToldAndNotMade() async throws {
        let messages = Lock<[String]>([])
        let (_, target) = try await runScenario(
            .test([.reader(pace: .closed(think: .milliseconds(100)))]),
            .init(hasSnapshots: false),
            at: [Step(2000, { $0.makeSnapshot() })],
            onSample: { sample in messages.withLock { $0 += sample.events.map(\.message) } }
        )
        #expect(target.snapshotsAlive == 0)
        #expect(messages.withLock { $0 }.contains("this arm has no snapshots"))
    }
}
