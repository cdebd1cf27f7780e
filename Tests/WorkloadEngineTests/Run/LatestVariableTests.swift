import Scenarios
import Testing

@testable import LoadTestSupport
@testable import WorkloadEngine

/// Tests variables that follow the values that completed accesses insert.
struct LatestVariableTests {
    private static let scenario: Scenario = {
        var scenario = Scenario.test([
            .doing(
                .operations(
                    .write,
                    mix: [
                        Operation(name: "add", statements: ["INSERT INTO t VALUES (:new)"])
                    ]
                ),
                named: "add",
                pace: .closed(think: .zero)
            ),
            .doing(
                .operations(
                    .read,
                    mix: [
                        Operation(name: "find", statements: ["SELECT * FROM t WHERE id = :recent"])
                    ]
                ),
                named: "find",
                pace: .closed(think: .zero)
            ),
        ])
        scenario.variables = [
            "new": Variable(distribution: .sequential, minimum: 101, maximum: Variable.largest),
            "recent": Variable(
                distribution: .latest(theta: 3, of: "new"),
                minimum: 1,
                maximum: 100
            ),
        ]
        return scenario
    }()

    @Test func onlyCompletedAccessesAreFollowed() throws {
        let target = FakeTarget(clock: SimulatedClock())
        let plan = try RunPlan(Self.scenario, on: target)
        let stream = RandomStream(seed: 1, stream: "test")
        var writer = StatementValues(plan.generators, random: stream)
        var reader = StatementValues(plan.generators, random: stream)
        let insert = plan.clients[0].operations[0][0]
        let select = plan.clients[1].operations[0][0]
        func newest() -> Int64 {
            (0..<200).map { _ in
                reader.begin()
                guard case .integer(let value) = reader.values(of: select).first else { return 0 }
                return value
            }.max() ?? 0
        }
        writer.begin()
        #expect(writer.values(of: insert) == [.integer(101)])
        #expect(newest() == 100)
        // The access has completed.
        writer.publish()
        #expect(newest() == 101)
        // One access failed, and the next access completed.
        writer.begin()
        #expect(writer.values(of: insert) == [.integer(102)])
        writer.begin()
        #expect(writer.values(of: insert) == [.integer(103)])
        #expect(newest() == 101)
        writer.publish()
        #expect(newest() == 103)
    }

    @Test(.timeLimit(.minutes(1)))
    func theReadersOfARunFollowItsInserts() async throws {
        let clock = SimulatedClock()
        let target = FakeTarget(
            clock: clock,
            .init(service: { _ in milliseconds(10) })
        )
        let result = try await WorkloadRun.simulated(Self.scenario, on: target).run()
        let completed = try #require(result.clients["add"]).completed
        #expect(completed > 100)
        let read = target.statements.filter { $0.sql.hasPrefix("SELECT") }.compactMap { statement in
            if case .integer(let value) = statement.values.first { value } else { nil }
        }
        let largest = try #require(read.max())
        #expect(largest > 100)
        #expect(largest <= 100 + Int64(completed))
    }
}
