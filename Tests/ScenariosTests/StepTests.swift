import Scenarios
import Testing

struct StepTests {
    private func scenario(_ client: String, transactions: String = "") -> String {
        """
        version: 1
        name: steps
        dataset: {schema: "CREATE TABLE t (a, b)"}
        arms: {pool: {type: pool}}
        phases: [{name: steady, duration: 10s}]
        variables:
          id: {distribution: uniform, min: 1, max: 9}
        \(transactions)
        clients:
          app: \(client)
        """
    }

    private func steps(_ text: String) throws -> [Step] {
        let yaml = scenario("{access: write, sql: \(text)}")
        guard
            case .operations(_, let mix) = try Scenario.parse(yaml: yaml, file: "f").clients[0]
                .activity
        else { return [] }
        return mix[0].steps
    }

    @Test func stepsCanFetchValuesBranchAndRepeat() throws {
        let read = try steps(
            """
            [{sql: "SELECT a, b FROM t", into: [x, y]}, \
            {unless: ":x is null", repeat: 3, do: ["UPDATE t SET a = :y", "SELECT :id"], else: "SELECT 1"}]
            """
        )
        #expect(
            read == [
                .run("SELECT a, b FROM t", into: ["x", "y"]),
                .when(
                    Condition(.variable("x"), .same, .value(.null)),
                    then: [.run("SELECT 1")],
                    otherwise: [.times(3, [.run("UPDATE t SET a = :y"), .run("SELECT :id")])]
                ),
            ]
        )
    }

    @Test(arguments: [
        ("[{sql: 'SELECT :missing', into: x}]", "undefined variable ':missing'"),
        ("['SELECT :x', {sql: 'SELECT 1', into: x}]", "undefined variable ':x'"),
        ("[{sql: 'SELECT 1', into: id}]", "'id' is already a variable"),
        ("[{if: ':id > x', do: 'SELECT 1'}]", "':id > x' is not a condition"),
        ("[{if: ':idd > 1', do: 'SELECT 1'}]", "did you mean 'id'?"),
        ("[{repeat: 0, do: 'SELECT 1'}]", "'repeat' of a step"),
        ("[{repaet: 2, do: 'SELECT 1'}]", "did you mean 'repeat'?"),
        (
            "[{if: ':id > 1', unless: ':id > 2', do: 'SELECT 1'}]",
            "'unless' cannot be combined with 'if'"
        ),
        ("[{else: 'SELECT 1', do: 'SELECT 1'}]", "'else' requires 'if' or 'unless'"),
        ("[{into: x, do: 'SELECT 1'}]", "'into' requires 'sql'"),
        ("[{use: nothing}]", "unknown statement or transaction 'nothing'; define it"),
        ("[{repeat: 2}]", "requires 'sql', 'use', 'do', or 'pause'"),
    ])
    func aMistakeInAStepIsReportedAtItsPosition(text: String, message: String) throws {
        let error = #expect(throws: ScenarioError.self) { try steps(text) }
        let description = error?.description ?? ""
        #expect(description.contains(message))
        #expect(description.hasPrefix("f:10:"))
    }

    @Test(arguments: [
        ("{action: checkpoint, mode: ful, every: 10%}", "did you mean 'full'?"),
        ("{action: chekpoint, every: 10%}", "did you mean 'checkpoint'?"),
        ("{action: interrupt, client: ap, every: 10%}", "did you mean 'app'?"),
        ("{action: backup, mode: full, at: 10%}", "'mode' cannot be combined with action: backup"),
        ("{action: backup, pages: 0, at: 10%}", "'pages' of client 'app'"),
        (
            "{access: read, sql: SELECT 1, then-read: SELECT 1}",
            "'then-read' requires access: write"
        ),
        (
            "{access: write, sql: SELECT 1, then-read: DELETE FROM t}",
            "a read access cannot run DELETE: 'DELETE FROM t'"
        ),
        ("{access: read, hold: 1s, supersede: true}", "'supersede' requires a client that runs"),
        ("{access: read, sql: 'SELECT 1', mode: full}", "'mode' cannot be combined with 'access'"),
        ("{access: read, sql: 'SELECT 1', phases: stedy}", "did you mean 'steady'?"),
        ("{access: read, sql: 'SELECT 1', workers-of: ap}", "did you mean 'app'?"),
        (
            "{access: read, sql: 'SELECT 1', workers-of: app}",
            "client 'app' has no workers of its own; specify another client"
        ),
        (
            "{access: read, sql: 'SELECT 1', workers-of: app, workers: 2}",
            "'workers' cannot be combined with 'workers-of'"
        ),
        (
            "{access: read, sql: 'SELECT 1', style: async, workers-of: b}\n  b: {access: read, sql: 'SELECT 1'}",
            "'workers-of' requires two clients"
        ),
        (
            "{access: read, sql: 'SELECT 1', workers-of: b}\n  b: {action: interrupt, every: 10%}",
            "'workers-of' requires two clients"
        ),
        (
            "{access: read, sql: 'SELECT 1', arrival: {rate: {from: 1/s}}}",
            "'arrival.rate' of client 'app' requires 'to'"
        ),
        (
            "{access: read, sql: 'SELECT 1', arrival: {rate: [{for: 20s, rate: 1/s}]}}",
            "longer than the measured time, 10s"
        ),
        ("{access: read, sql: 'SELECT 1', think: {mean: 5}}", "'5' has no unit"),
        (
            "{access: read, mix: [{name: w, access: write, sql: 'DELETE FROM t'}, "
                + "{name: x, sql: 'DELETE FROM t'}]}",
            "a read access cannot run DELETE"
        ),
    ])
    func aMistakeInAClientIsReportedAtItsPosition(client: String, message: String) throws {
        let error = #expect(throws: ScenarioError.self) {
            try Scenario.parse(yaml: scenario(client), file: "f")
        }
        let description = error?.description ?? ""
        #expect(description.contains(message))
        #expect(description.hasPrefix("f:10:"))
    }
}
