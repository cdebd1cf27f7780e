import EngineTarget
import Scenarios
import Testing
import WorkloadEngine

/// Tests clients whose accesses are tasks.
@Suite(.timeLimit(.minutes(2)), .serialized)
struct TaskRunTests {
    private func run(
        _ clients: String,
        arm: String = "pool",
        lasting duration: String = "600ms"
    ) async throws -> ArmResult {
        let yaml = """
            version: 1
            name: tasks
            dataset:
              schema:
                - "CREATE TABLE item (id INTEGER PRIMARY KEY, value INTEGER)"
                - "INSERT INTO item VALUES (1, 1), (2, 2), (3, 3)"
            arms: {pool: {type: pool, readers: 2}, raw: {library: raw}}
            phases: [{name: steady, duration: \(duration)}]
            drain: 2s
            variables: {id: {distribution: uniform, min: 1, max: 3}}
            clients:
            \(clients)
            """
        let scenario = try Scenario.parse(yaml: yaml, file: "test.yaml")
        let arm = try #require(scenario.arms.first { $0.name == arm })
        return try await WorkloadRun(
            scenario: scenario,
            arm: arm,
            factory: EngineTargetFactory()
        ).run()
    }

    private static let endless = """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) \
        SELECT count(*) FROM n WHERE i < 0
        """

    @Test func tasksReadAndWriteOnSchedule() async throws {
        let result = try await run(
            """
              ui:
                access: read
                style: async
                workers: 20
                arrival: {rate: 500/s, process: even}
                sql: "SELECT value FROM item WHERE id = :id"
              pay:
                access: write
                style: async
                workers: 3
                arrival: {rate: 200/s, process: even}
                sql: "UPDATE item SET value = value + 1 WHERE id = :id"
            """
        )
        let ui = try #require(result.clients["ui"])
        #expect(ui.offered == 299)
        #expect(ui.completed == 299)
        #expect(ui.isBalanced)
        #expect(ui.lag?.count == 299)
        #expect(try #require(result.clients["pay"]).completed > 20)
        let raw = try await run(
            "  ui: {access: read, style: async, think: 1ms, sql: \"SELECT 1\"}",
            arm: "raw"
        )
        #expect(raw.unsupported == ["ui": "this arm does not support tasks"])
    }

    @Test func manyTasksWaitForTwoReadersWithoutBlockingThreads() async throws {
        let result = try await run(
            """
              search:
                access: read
                style: async
                workers: 30
                arrival: {rate: 200/s, process: even}
                cancel-after: 50ms
                sql: "\(Self.endless)"
              ui:
                access: write
                style: async
                arrival: {rate: 200/s, process: even}
                sql: "UPDATE item SET value = 0"
            """
        )
        let search = try #require(result.clients["search"])
        // Ten tasks exist at any time, and two of them hold a reader. Waiting tasks are also
        // canceled.
        #expect(search.offered == 119)
        #expect(search.interrupted == search.offered)
        #expect(search.isBalanced)
        let interrupts = try #require(search.interrupts)
        #expect(interrupts.delivered == interrupts.requested)
        #expect(try #require(result.clients["ui"]).completed > 20)
    }

    @Test func aClientCanCancelTheTasksOfAnotherClient() async throws {
        let result = try await run(
            """
              search: {access: read, style: async, workers: 2, sql: "\(Self.endless)"}
              stop: {action: cancel, client: search, every: 20%}
            """,
            // The run is long enough for cancellations to occur even on a stalled machine.
            lasting: "3s"
        )
        let search = try #require(result.clients["search"])
        let interrupts = try #require(search.interrupts)
        // On a busy machine, several cancellations may affect the same tasks. ClientInterruptsTests
        // checks the exact numbers.
        #expect((1...8).contains(interrupts.delivered))
        #expect(search.interrupted == interrupts.delivered)
        #expect(search.completed == 0)
        #expect(search.errors.isEmpty)
        #expect(result.clients["stop"]?.completed == 4)
    }
}
