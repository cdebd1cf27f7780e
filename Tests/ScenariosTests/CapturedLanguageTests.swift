import Scenarios
import Testing

/// Tests the parts of the scenario language that captured scenarios need.
struct CapturedLanguageTests {
    private func yaml(
        arm: String = "{type: queue}",
        variable: String = "{distribution: uniform, min: 1, max: 9}",
        sql: String = "SELECT :id",
        client: String = "",
        top: String = "",
        more: String = ""
    ) -> String {
        """
        version: 1
        name: captured
        dataset: {schema: "CREATE TABLE t (a, b)"}
        arms: {present: \(arm)}
        phases: [{name: steady, duration: 10s}]
        variables: {id: \(variable)\(more.isEmpty ? "" : ", " + more)}
        clients: {app: {access: write, sql: \(sql)\(client)}}
        \(top)
        """
    }

    private func scenario(_ yaml: String) throws -> Scenario {
        try Scenario.parse(yaml: yaml, file: "f")
    }

    @Test(arguments: Arm.Begin.allCases)
    func anArmUsesItsKindOfBegin(begin: Arm.Begin) throws {
        let arm = try scenario(yaml(arm: "{library: raw, begin: \(begin.rawValue)}")).arms[0]
        #expect(arm.begin == begin)
        #expect(begin.sql == "BEGIN \(begin.rawValue.uppercased())")
    }

    @Test(arguments: ["busy: {timeout: 5s}", "busy-timeout: 5s"])
    func anArmWaitsForLocks(key: String) throws {
        #expect(try scenario(yaml(arm: "{type: queue, \(key)}")).arms[0].busyTimeout == .seconds(5))
    }

    @Test func aStepPausesInsideItsAccess() throws {
        let parsed = try scenario(yaml(sql: "[SELECT :id, {pause: 5ms}, {pause: {mean: 2ms}}]"))
        guard case .operations(_, let mix) = parsed.clients[0].activity else {
            Issue.record("the client has no operations")
            return
        }
        #expect(
            mix[0].steps == [
                .run("SELECT :id"), .pause(.constant(.milliseconds(5))),
                .pause(.exponential(mean: .milliseconds(2))),
            ]
        )
    }

    @Test func aVariableComesFromAColumn() throws {
        let parsed = try scenario(
            yaml(variable: "{distribution: choice, table: 'my table', column: a}")
        )
        #expect(
            parsed.variables["id"]
                == Variable(
                    distribution: .choice([], weights: []),
                    column: Variable.Column(table: "my table", name: "a")
                )
        )
    }

    @Test func valuesComeFromTheSameRow() throws {
        let parsed = try scenario(
            yaml(
                variable: "{distribution: choice, table: T, column: b, same-row: other}",
                more: "other: {distribution: choice, table: t, column: a, distinct: true}"
            )
        )
        #expect(parsed.variables["id"]?.column?.sameRow == "other")
        #expect(parsed.variables["other"]?.column?.theta == 0)
    }

    @Test func theGuardAppliesToEveryArm() throws {
        #expect(try !scenario(yaml()).arms[0].isGuarded)
        #expect(try scenario(yaml(top: "guard: captured")).arms[0].isGuarded)
    }

    @Test(arguments: [
        ("{type: queue, begin: sometimes}", "must be one of deferred, immediate, exclusive"),
        ("{type: snapshot, begin: deferred}", "'begin' requires library: raw, or library: engine"),
        ("{type: queue, busy: {timeot: 5s}}", "did you mean 'timeout'?"),
        ("{type: queue, busy: {}}", "requires 'timeout'"),
        ("{type: queue, busy: {timeout: 5s}, busy-timeout: 1s}", "cannot be combined with 'busy'"),
        ("{type: queue, busy-timeout: 5}", "has no unit"),
    ])
    func aMistakeInAnArmIsReported(arm: String, message: String) {
        let error = #expect(throws: ScenarioError.self) { try scenario(yaml(arm: arm)) }
        #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
    }

    @Test(arguments: [
        ("{distribution: choice, column: a}", "requires 'table'"),
        ("{distribution: choice, table: t}", "requires 'column'"),
        ("{distribution: choice, values: [1], distinct: true}", "'distinct' of variable 'id' req"),
        (
            "{distribution: choice, table: t, column: a, theta: 1, distinct: true}",
            "'distinct' cannot be combined with 'theta'"
        ),
        (
            "{distribution: choice, table: t, column: a, same-row: id}",
            "must be a variable that draws a row of 't' with 'distribution: choice' and 'column', and without 'nulls', not 'id'"
        ),
        ("{distribution: choice, table: t, column: a, same-row: row}", "'id': 'same-row' must be"),
        (
            "{distribution: uniform, table: t, column: a, min: 1}",
            "'min' cannot be combined with 'column'"
        ),
        ("{distribution: text, table: t, column: a, length: 3}", "cannot be combined with text"),
        (
            "{distribution: text, length: {distribution: uniform, column: a}}",
            "unknown key 'column'"
        ),
    ])
    func aMistakeInAColumnIsReported(variable: String, message: String) {
        let error = #expect(throws: ScenarioError.self) { try scenario(yaml(variable: variable)) }
        #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
    }

    @Test(arguments: [
        (", style: async", "would block a task's thread"),
        (", style: process", nil),
    ])
    func aTaskMustNotPause(client: String, message: String?) throws {
        let text = yaml(sql: "[SELECT :id, {repeat: 2, do: [{pause: 1ms}]}]", client: client)
        guard let message else {
            _ = try scenario(text)
            return
        }
        let error = #expect(throws: ScenarioError.self) { try scenario(text) }
        #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
    }
}
