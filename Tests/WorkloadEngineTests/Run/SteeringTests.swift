import Telemetry
import Testing

@testable import WorkloadEngine

/// What somebody does to a run from outside.
@Suite(.timeLimit(.minutes(1)))
struct SteeringTests {
    /// Runs something when an access comes after a moment of simulated time, once.
    private func runScenario(
        _ scenario: Scenario,
        _ behaviour: FakeTarget.Behaviour = .init(),
        at steps: [(UInt64, @Sendable (WorkloadRun) -> Void)],
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
                    clock.now() - start >= steps[state.next].0, let run = state.run
                else { return nil }
                state.next += 1
                return (run, state.next - 1)
            }
            if let due { steps[due.1].1(due.0) }
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
            // Something must end the pause: the sampler goes on, and resumes after a while.
        ])
        let paused = Lock(0)
        let (result, target) = try await runScenario(
            scenario,
            at: [(milliseconds(2050), { $0.pause() }), (milliseconds(5050), { $0.resume() })],
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
        let alive = Lock<[Int]>([])
        let clockTarget = Lock<FakeTarget?>(nil)
        var scenario = Scenario.test([.reader(pace: .closed(think: .milliseconds(100)))])
        scenario.invariants = ["snapshots-stable"]
        let messages = Lock<[String]>([])
        let (result, target) = try await runScenario(
            scenario,
            at: [
                (milliseconds(1000), { $0.makeSnapshot() }),
                (milliseconds(2000), { $0.makeSnapshot() }),
                (milliseconds(3000), { $0.releaseSnapshot() }),
                (milliseconds(4000), { $0.interrupt() }),
            ],
            onSample: { sample in
                messages.withLock { $0 += sample.events.map(\.message) }
                if let target = clockTarget.withLock({ $0 }) {
                    alive.withLock { $0.append(target.snapshotsAlive) }
                }
            }
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
            at: [(milliseconds(2000), { $0.makeSnapshot() })],
            onSample: { sample in messages.withLock { $0 += sample.events.map(\.message) } }
        )
        #expect(target.snapshotsAlive == 0)
        #expect(messages.withLock { $0 }.contains("this arm has no snapshots"))
    }
}
