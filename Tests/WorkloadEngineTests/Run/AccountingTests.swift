import Scenarios
import Telemetry
import Testing
import WorkloadEngine

@testable import LoadTestSupport

/// Tests that `offered = completed + skipped + errors + interrupted + unfinished` in every run.
@Suite(.timeLimit(.minutes(5)))
struct AccountingTests {
    /// Returns a client of each kind.
    private func allClients() -> [Client] {
        var open = Client.reader(
            "open",
            workers: 2,
            pace: .open(Arrival(rate: 80, skipAfter: .milliseconds(20)))
        )
        open.busyRetries = 1
        return [
            open,
            .reader("closed", workers: 3, pace: .closed(think: .milliseconds(3))),
            .doing(
                .hold(.absolute(.seconds(1)), sql: nil),
                named: "report",
                workers: 2,
                pace: .every(.share(0.15))
            ),
            .doing(
                .snapshot(.share(0.3), sql: nil),
                named: "snapshot",
                pace: .at(.share(0.1))
            ),
            .doing(
                .importRows(count: 1000, batch: 30, statement: "INSERT"),
                named: "import",
                pace: .at(.share(0.4))
            ),
            .doing(.interrupt, named: "cancel", pace: .every(.absolute(.milliseconds(700)))),
        ]
    }

    private func unreliableTarget(
        _ clock: SimulatedClock,
        beforeAccess: @escaping @Sendable (FakeTarget.Access) -> Void = { _ in }
    ) -> FakeTarget {
        FakeTarget(
            clock: clock,
            .init(
                wait: { $0.number.isMultiple(of: 7) ? milliseconds(9) : 0 },
                service: { milliseconds($0.number % 20 == 7 ? 400 : 5) },
                beforeAccess: { access in
                    beforeAccess(access)
                    if access.number % 10 < 3 { throw FakeFailure.busy }
                    if access.number.isMultiple(of: 13) { throw FakeFailure.broken }
                }
            )
        )
    }

    private func expectBalance(_ result: ArmResult) {
        for (name, client) in result.clients {
            #expect(client.isBalanced, "\(name): \(client)")
            #expect(client.offered > 0, "\(name)")
            for operation in (client.operations ?? [:]).values {
                #expect(operation.isBalanced, "\(name): \(operation)")
            }
            #expect(client.response?.count ?? client.completed == client.completed)
        }
    }

    @Test func everyAccessIsAccountedForAtTheEnd() async throws {
        let target = unreliableTarget(SimulatedClock())
        let result = try await WorkloadRun.simulated(.test(allClients()), on: target).run()
        #expect(!result.partial)
        #expect(result.duration == 10)
        expectBalance(result)
        let open = try #require(result.clients["open"])
        #expect(open.errors["SQLITE_BUSY"] ?? 0 > 0)
        #expect(open.errors["SQLITE_ERROR"] ?? 0 > 0)
        #expect(open.retried > 0)
        #expect(open.interrupted > 0)
        #expect(open.skipped > 0)
        #expect(target.isClosed)
        #expect(target.snapshotsAlive == 0)
    }

    @Test(arguments: [0, 1, 333, 700])
    func everyAccessIsAccountedForWhenStopped(at number: Int) async throws {
        let handle = Lock<WorkloadRun?>(nil)
        let target = unreliableTarget(SimulatedClock()) { access in
            if access.number == number { handle.withLock { $0 }?.stop() }
        }
        let run = WorkloadRun.simulated(.test(allClients()), on: target)
        handle.withLock { $0 = run }
        let result = try await run.run()
        handle.withLock { $0 = nil }
        #expect(result.partial)
        #expect(result.duration < 10)
        #expect(result.exitStatus == .interrupted)
        for (name, client) in result.clients { #expect(client.isBalanced, "\(name): \(client)") }
    }

    @Test func anAccessThatNeverEndsIsUnfinished() async throws {
        let target = FakeTarget(
            clock: SimulatedClock(),
            .init(service: { $0.number == 10 ? milliseconds(1_000_000) : milliseconds(10) })
        )
        let result = try await WorkloadRun.simulated(.test([.reader()]), on: target).run()
        let reader = try #require(result.clients["reader"])
        #expect(reader.completed == 10)
        #expect(reader.unfinished == 1)
        #expect(reader.interrupted == 0, "interrupts by the run itself must not be counted")
        #expect(reader.isBalanced)
    }

    @Test func aHoldEndsWhenTheRunIsStopped() async throws {
        let clock = SimulatedClock()
        let handle = Lock<WorkloadRun?>(nil)
        let target = FakeTarget(
            clock: clock,
            .init(beforeAccess: { access in
                if access.client == "reader", access.time > milliseconds(3000) {
                    handle.withLock { $0 }?.stop()
                }
            })
        )
        let scenario = Scenario.test([
            .doing(
                .hold(.absolute(.seconds(5)), sql: nil),
                named: "report",
                pace: .at(.absolute(.seconds(1)))
            ),
            .reader(pace: .closed(think: .milliseconds(100))),
        ])
        let run = WorkloadRun.simulated(scenario, on: target)
        handle.withLock { $0 = run }
        let result = try await run.run()
        handle.withLock { $0 = nil }
        #expect(result.clients["report"]?.unfinished == 1)
        #expect(result.duration < 3)
        #expect(clock.now() < milliseconds(3500), "the run did not wait for the hold")
    }

    @Test func aRunStoppedBeforeItsLoadMeasuresNothing() async throws {
        let target = FakeTarget(clock: SimulatedClock())
        let run = WorkloadRun.simulated(.test([.reader()]), on: target)
        run.stop()
        await #expect(throws: CancellationError.self) { try await run.run() }
    }
}
