import Foundation
import Scenarios
import Telemetry
import Testing

@testable import LoadTestSupport
@testable import WorkloadEngine

/// Tests short runs with the clock and the threads of the machine.
@Suite(.timeLimit(.minutes(5)))
struct RealTimeRunTests {
    /// A factory for targets that do nothing.
    private struct NoopFactory: WorkloadTargetFactory {
        func open(_ arm: Arm, at path: String) throws -> any WorkloadTarget {
            try Data().write(to: URL(fileURLWithPath: path))
            return NoopTarget()
        }
    }

    private func run(_ scenario: Scenario) -> WorkloadRun {
        WorkloadRun(scenario: scenario, arm: scenario.arms[0], factory: NoopFactory())
    }

    private var scenario: Scenario {
        .test(
            [
                .reader("closed", workers: 2),
                .reader("thinking", workers: 2, pace: .closed(think: .microseconds(100))),
                .reader("open", workers: 2, pace: .open(Arrival(rate: 1250))),
            ],
            warmUp: .milliseconds(50),
            // This duration is far longer than any delay of a thread on a busy machine.
            measured: .seconds(1)
        )
    }

    @Test func everyAccessIsAccountedFor() async throws {
        let result = try await run(scenario).run()
        #expect(!result.partial)
        #expect(result.duration == 1)
        for (name, client) in result.clients {
            #expect(client.isBalanced, "\(name): \(client)")
            #expect(client.completed > 0)
            #expect(client.response?.count == client.completed)
        }
        let open = try #require(result.clients["open"])
        // The tolerance is five standard deviations: 5 × √1250 = 177.
        #expect((1073...1427).contains(open.offered))
    }

    @Test func cancelingTheTaskStopsTheRun() async throws {
        var long = scenario
        long.phases = [Phase(name: "steady", duration: .seconds(3600))]
        let run = run(long)
        let task = Task { try await run.run() }
        for await sample in run.samples where sample.state == .running {
            task.cancel()
            break
        }
        let result = try await task.value
        #expect(result.partial)
        #expect(result.clients.values.allSatisfy { $0.isBalanced })
    }
}
