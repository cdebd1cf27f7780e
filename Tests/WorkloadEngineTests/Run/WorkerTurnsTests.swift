import Scenarios
import Testing
import WorkloadEngine

@testable import LoadTestSupport

/// Tests clients that take turns.
struct WorkerTurnsTests {
    /// Two clients whose accesses of 5 ms always arrive at the same time.
    private static func clients(workers: Int, sharing: Bool) -> [Client] {
        var clients = Client.takingTurns(at: 20, workers: workers)
        if !sharing { clients[1].workersOf = nil }
        return clients
    }

    private static func run(_ clients: [Client], service: UInt64) async throws -> ArmResult {
        var behavior = FakeTarget.Behavior()
        behavior.service = { _ in service }
        let target = FakeTarget(clock: SimulatedClock(), behavior)
        return try await WorkloadRun.simulated(.test(clients), on: target).run()
    }

    @Test(arguments: [(1, true), (2, true), (1, false)])
    func anAccessWaitsForThatOfTheOtherClient(workers: Int, sharing: Bool) async throws {
        let result = try await Self.run(
            Self.clients(workers: workers, sharing: sharing),
            service: milliseconds(5)
        )
        let clients = result.clients.values
        let lags = try clients.map { try #require($0.lag).mean }.sorted()
        let late: UInt64 = workers == 1 && sharing ? 5 : 0
        // Either client may be the first.
        #expect(abs(Double(lags.reduce(0, +)) / 1e6 - Double(late)) < 0.1, "\(lags)")
        for client in clients {
            #expect(client.completed == 199)
            #expect(client.service.map { abs(Double($0.mean) / 1e6 - 5) < 0.1 } == true)
        }
    }

    @Test func accessesThatStillWaitAtTheEndAreCounted() async throws {
        let result = try await Self.run(
            Self.clients(workers: 1, sharing: true),
            service: milliseconds(100)
        )
        // Each of the two completes 5 of 20 arrivals per second, and the rest never starts.
        for client in result.clients.values {
            #expect((50...62).contains(Int(client.completed)))
            #expect(client.offered == 199)
        }
    }
}
