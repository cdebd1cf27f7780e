import Scenarios
import Telemetry
import Testing
import WorkloadEngine

@testable import LoadTestSupport

/// Tests that an access is counted as interrupted only if an interrupt was requested while it ran.
@Suite(.timeLimit(.minutes(5)))
struct RequestedInterruptTests {
    /// Runs the client `ui`.
    ///
    /// One access in 100 fails with SQLITE_INTERRUPT although no interrupt was requested.
    private func run(
        _ change: (inout Client) -> Void = { _ in },
        with others: [Client] = []
    ) async throws -> ArmResult {
        let target = FakeTarget(
            clock: SimulatedClock(),
            .init(
                service: { _ in milliseconds(5) },
                beforeAccess: { access in
                    guard access.client == "ui", access.number % 100 == 50 else { return }
                    throw FakeFailure.interrupted
                }
            )
        )
        var client = Client.reader("ui", pace: .closed(think: .milliseconds(5)))
        change(&client)
        return try await WorkloadRun.simulated(.test([client] + others), on: target).run()
    }

    @Test func anInterruptWithoutARequestIsAnError() async throws {
        let ui = try #require(try await run().clients["ui"])
        #expect(ui.interrupted == 0)
        #expect(ui.errors.keys.sorted() == ["SQLITE_INTERRUPT"])
        #expect(ui.errors["SQLITE_INTERRUPT"] == 10)
        #expect(ui.isBalanced)
    }

    /// The run tracks the client's interrupts, but none was requested for the accesses that failed.
    @Test func aTimeLimitThatIsNotReachedIsNotARequest() async throws {
        let ui = try #require(
            try await run { $0.interruptAfter = .seconds(5) }.clients["ui"]
        )
        #expect(ui.interrupted == 0)
        #expect(ui.errors["SQLITE_INTERRUPT"] == 10)
        #expect(ui.interrupts == nil)
    }

    @Test func aRequestBeforeOrAfterTheAccessHasNoEffect() async throws {
        let cancel = Client.doing(
            .interrupt,
            named: "cancel",
            pace: .every(.absolute(.seconds(3)))
        )
        let ui = try #require(try await run(with: [cancel]).clients["ui"])
        #expect(ui.errors["SQLITE_INTERRUPT"] ?? 0 >= 8)
        // Each of the three requests ends at most one access.
        #expect(ui.interrupted <= 3)
    }

    @Test func aRequestedInterruptIsNotAnError() async throws {
        let slow = Client.reader("slow", pace: .at(.absolute(.seconds(1))))
        let cancel = Client.doing(
            .interrupt,
            named: "cancel",
            pace: .at(.absolute(.seconds(2)))
        )
        let target = FakeTarget(
            clock: SimulatedClock(),
            .init(service: { $0.client == "slow" ? milliseconds(5000) : 0 })
        )
        let result = try await WorkloadRun.simulated(.test([slow, cancel]), on: target).run()
        #expect(result.clients["slow"]?.interrupted == 1)
        #expect(result.clients["slow"]?.errors.isEmpty == true)
    }
}
