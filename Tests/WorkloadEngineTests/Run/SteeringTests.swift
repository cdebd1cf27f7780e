import Scenarios
import Telemetry
import Testing
import WorkloadEngine

@testable import LoadTestSupport

/// Tests external changes to a run.
@Suite(.timeLimit(.minutes(5)))
struct SteeringTests {
    /// A change to a run at a point in simulated time.
    private struct Step: Sendable {
        var time: UInt64
        var action: @Sendable (WorkloadRun) -> Void

        init(_ milliseconds: UInt64, _ action: @escaping @Sendable (WorkloadRun) -> Void) {
            time = milliseconds * 1_000_000
            self.action = action
        }
    }

    /// Runs a scenario and applies the steps to it.
    private func runScenario(
        _ scenario: Scenario,
        _ behavior: FakeTarget.Behavior = .init(),
        at steps: [Step],
        onSample: (@Sendable (Sample) -> Void)? = nil
    ) async throws -> (ArmResult, FakeTarget) {
        let clock = SimulatedClock()
        let start = clock.now()
        let handle = Lock<(run: WorkloadRun?, next: Int)>((nil, 0))
        let target = FakeTarget(clock: clock, behavior)
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

    @Test func aPauseShiftsTheScheduleAndIsNotMeasured() async throws {
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
        #expect(open.late == 0, "the clock stops during a pause")
        let times = target.accesses.map(\.time).sorted()
        let gap = zip(times.dropFirst(), times).map { $0 - $1 }.max()
        #expect(try #require(gap) >= milliseconds(3000))
    }

    @Test func snapshotsCanBeCreatedAndReleasedDuringARun() async throws {
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
        #expect(target.snapshotsAlive == 0, "the end of the run releases the other snapshots")
        #expect(target.interrupts == 1)
        #expect(result.invariants.first?.passed == true)
        let seen = messages.withLock { $0 }
        #expect(seen.contains("you took a snapshot; 2 are open"))
        #expect(seen.contains("you released a snapshot; 1 is open"))
        #expect(seen.contains("you interrupted every statement"))
    }

    @Test func aSnapshotOnAnArmWithoutSnapshotsIsReported() async throws {
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

    /// Returns the number of accesses of a client in each second since the start.
    private func accesses(of client: String, in target: FakeTarget) -> [Int: Int] {
        let start: UInt64 = 1_000_000_000
        return target.accesses.filter { $0.client == client }
            .reduce(into: [:]) { $0[Int(($1.time - start) / 1_000_000_000), default: 0] += 1 }
    }

    @Test func aRateCanBeRaisedLoweredAndStopped() async throws {
        let scenario = Scenario.test([
            .reader("open", workers: 4, pace: .open(Arrival(rate: 10, process: .even)))
        ])
        let settings = Lock<[LoadSettings]>([])
        let (result, target) = try await runScenario(
            scenario,
            at: [
                Step(2000, { try? $0.set(.rateFactor(5)) }),
                Step(4000, { try? $0.set(.rate(client: "open", perSecond: 0)) }),
                Step(7000, { try? $0.set(.rate(client: "open", perSecond: 4)) }),
            ],
            onSample: { sample in
                sample.settings.map { setting in settings.withLock { $0.append(setting) } }
            }
        )
        let seen = accesses(of: "open", in: target)
        #expect(seen[1] == 10)
        #expect(seen[3] == 50)
        #expect(seen[5] == nil, "workers wait while the rate is 0")
        #expect(seen[8] == 20, "the factor still applies")
        let open = try #require(result.clients["open"])
        #expect(open.isBalanced)
        #expect(open.completed == UInt64(target.accesses.count))
        #expect(open.late == 0)
        #expect(abs(try #require(open.targetRate) - 18) < 0.2)
        let rates = settings.withLock { $0.compactMap { $0.clients.first?.rate } }
        #expect(rates.contains(10) && rates.contains(50) && rates.contains(0))
        #expect(rates.contains(20))
    }

    @Test func workersCanBeAddedAndSuspended() async throws {
        let scenario = Scenario.test([
            .reader("closed", workers: 2, pace: .closed(think: .milliseconds(100)))
        ])
        let workers = Lock<Set<Int>>([])
        let (result, target) = try await runScenario(
            scenario,
            at: [
                Step(2000, { try? $0.set(.workers(client: "closed", count: 5)) }),
                Step(4000, { try? $0.set(.workers(client: "closed", count: 0)) }),
                Step(6000, { try? $0.set(.workers(client: "closed", count: 1)) }),
            ],
            onSample: { sample in
                if let client = sample.clients.first {
                    workers.withLock { _ = $0.insert(client.workers) }
                }
            }
        )
        let seen = accesses(of: "closed", in: target)
        #expect((19...21).contains(seen[1] ?? 0))
        #expect((48...52).contains(seen[3] ?? 0))
        #expect(seen[5] == nil)
        #expect((9...11).contains(seen[7] ?? 0))
        #expect(workers.withLock { $0 } == [2, 5, 0, 1])
        #expect(try #require(result.clients["closed"]).isBalanced)
    }

    @Test func clientsThatTakeTurnsHaveTheSameNumberOfWorkers() async throws {
        var behavior = FakeTarget.Behavior()
        behavior.service = { _ in milliseconds(20) }
        let message = Lock("")
        let (_, target) = try await runScenario(
            .test(Client.takingTurns(at: 10)),
            behavior,
            at: [
                Step(2000, { try? $0.set(.workers(client: "first", count: 0)) }),
                Step(4000, { try? $0.set(.workers(client: "first", count: 1)) }),
                Step(
                    6000,
                    { run in
                        do { try run.set(.workers(client: "second", count: 2)) } catch {
                            message.withLock { $0 = "\(error)" }
                        }
                    }
                ),
            ]
        )
        for name in ["first", "second"] {
            let seen = accesses(of: name, in: target)
            #expect(seen[1] == 10 && seen[3] == nil && (10...30).contains(seen[4] ?? 0))
            #expect(seen[8] == 10)
        }
        #expect(message.withLock { $0 }.hasSuffix("uses the workers of 'first'; change those"))
    }

    @Test func aPauseDoesNotDelayAClientThatWaitsForItsTurn() async throws {
        var behavior = FakeTarget.Behavior()
        behavior.service = { _ in milliseconds(400) }
        let (result, _) = try await runScenario(
            .test(Client.takingTurns(at: 1)),
            behavior,
            at: [Step(2150, { $0.pause() }), Step(5150, { $0.resume() })]
        )
        let longest = try result.clients.values.map { try #require($0.lag).max }.max()
        #expect((300_000_000...700_000_000).contains(longest ?? 0))
    }

    @Test func theWriteShareMovesArrivalsToTheWriter() async throws {
        var writer = Client(
            name: "write",
            activity: .operations(.write, mix: [Operation(name: "w", statements: ["U"])])
        )
        writer.pace = .open(Arrival(rate: 20, process: .even))
        let scenario = Scenario.test([
            .reader("read", pace: .open(Arrival(rate: 60, process: .even))), writer,
        ])
        let (_, target) = try await runScenario(
            scenario,
            at: [Step(5000, { try? $0.set(.writeShare(0.75)) })]
        )
        #expect(accesses(of: "read", in: target)[3] == 60)
        #expect(accesses(of: "read", in: target)[7] == 20)
        #expect(accesses(of: "write", in: target)[7] == 60)
    }

    @Test func aHoldEndsWhenItsDurationIsReduced() async throws {
        let holder = Client.doing(
            .hold(.absolute(.seconds(8)), sql: nil),
            named: "report",
            pace: .at(.absolute(.seconds(1)))
        )
        let (result, _) = try await runScenario(
            .test([holder]),
            at: [Step(3000, { try? $0.set(.holdTime(client: "report", seconds: 0.5)) })]
        )
        let service = try #require(result.clients["report"]?.service?.max)
        #expect(abs(Double(service) - 2e9) < 1.5e8)
    }

    @Test func invalidChangesAreReported() async throws {
        let messages = Lock<[String]>([])
        let scenario = Scenario.test([.reader("ui", pace: .closed(think: .milliseconds(100)))])
        @Sendable func record(_ body: () throws -> Void) {
            do { try body() } catch { messages.withLock { $0.append("\(error)") } }
        }
        _ = try await runScenario(
            scenario,
            at: [
                Step(1000, { run in record { try run.set(.workers(client: "iu", count: 2)) } }),
                Step(1200, { run in record { try run.set(.rate(client: "ui", perSecond: 2)) } }),
                Step(1400, { run in record { try run.set(.writeShare(0.5)) } }),
                Step(1600, { run in record { try run.set(.rateFactor(-1)) } }),
                Step(1800, { run in record { try run.set(.holdTime(client: "ui", seconds: 1)) } }),
            ]
        )
        let seen = messages.withLock { $0 }
        #expect(seen.count == 5)
        #expect(seen.first == "no client in this run has the name 'iu'; did you mean 'ui'?")
        #expect(seen.dropFirst().first?.contains("has no arrival rate") == true)
    }

    @Test func aRequestedCheckpointReportsItsProgress() async throws {
        let messages = Lock<[String]>([])
        let (_, target) = try await runScenario(
            .test([.reader(pace: .closed(think: .milliseconds(100)))]),
            .init(rows: { sql, _ in
                sql == "PRAGMA wal_checkpoint(FULL)"
                    ? [[.integer(1), .integer(130), .integer(120)]] : []
            }),
            at: [Step(2000, { $0.checkpoint(.full) })],
            onSample: { sample in messages.withLock { $0 += sample.events.map(\.message) } }
        )
        #expect(
            messages.withLock { $0 }.contains(
                "you ran a full checkpoint: 120 of 130 frames are in the database, "
                    + "blocked by another connection"
            )
        )
        #expect(target.accesses.contains { $0.client == "you" })
    }
}
