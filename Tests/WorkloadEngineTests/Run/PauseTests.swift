import Scenarios
import Testing
import WorkloadEngine

@testable import LoadTestSupport

/// Tests the pauses inside accesses.
struct PauseTests {
    /// Returns the number of accesses per second, each of which pauses twice.
    private func rate(pause: Duration, delay: UInt64) async throws -> Double {
        let operation = Operation(
            name: "read",
            steps: [.run("SELECT 1"), .pause(.constant(pause)), .pause(.constant(pause))]
        )
        let client = Client(name: "reader", activity: .operations(.read, mix: [operation]))
        let target = FakeTarget(clock: SimulatedClock(delay: delay))
        let result = try await WorkloadRun.simulated(
            .test([client], measured: .seconds(1)),
            on: target
        ).run()
        return try #require(result.clients["reader"]?.throughput)
    }

    @Test(arguments: [0, 150_000, 900_000] as [UInt64])
    func lateWakeUpsDoNotMakePausesLonger(delay: UInt64) async throws {
        // A delay can be longer than a pause.
        for milliseconds in [0.2, 1, 5] {
            let rate = try await rate(pause: .milliseconds(milliseconds), delay: delay)
            #expect(abs(rate * 2 * milliseconds / 1_000 - 1) < 0.02)
        }
    }

    @Test func eachOperationRepaysItsOwnDelays() async throws {
        let lengths = ["short": 0.1, "long": 5]
        let mix = lengths.map { name, length in
            Operation(
                name: name,
                steps: [.run("SELECT 1"), .pause(.constant(.milliseconds(length)))]
            )
        }
        let client = Client(name: "reader", activity: .operations(.read, mix: mix))
        let target = FakeTarget(clock: SimulatedClock(delay: 150_000))
        let result = try await WorkloadRun.simulated(
            .test([client], measured: .seconds(2)),
            on: target
        ).run()
        let operations = try #require(result.clients["reader"]?.operations)
        for (name, length) in lengths {
            let mean = try #require(operations[name]?.response?.mean)
            #expect(abs(Double(mean) / 1e6 / length - 1) < 0.03, "\(name): \(mean) ns")
        }
    }

    @Test func aPauseOfTheMachineShortensNoOther() async throws {
        let rate = try await rate(pause: .milliseconds(10), delay: milliseconds(10))
        #expect(abs(rate - 25) <= 1)
    }
}
