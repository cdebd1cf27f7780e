import Testing

/// Tests mistakes in thresholds, metrics, and invariants.
struct ScenarioGoalErrorTests {
    @Test(arguments: mistakes)
    func aMistakeIsReportedAtItsPosition(_ mistake: ScenarioMistake) throws {
        try mistake.expectIssue()
    }

    static let mistakes = [
        ScenarioMistake(
            "ui.response: [",
            "iu.response: [",
            "14:3: unknown client 'iu' in metric 'iu.response'; did you mean 'ui'?"
        ),
        ScenarioMistake(
            "ui.response: [",
            "list.response: [",
            "14:3: 'list' in metric 'list.response' is neither a client nor a metric group; "
                + "expected a client (ui, report) or a metric group (wal, pool, snapshots, "
                + "interrupts)"
        ),
        ScenarioMistake(
            "ui.response: [",
            "ui.respons: [",
            "14:3: unknown metric 'respons' of client 'ui'; did you mean 'response'?"
        ),
        ScenarioMistake(
            "50ms",
            "50MiB",
            "14:17: the limit in 'p(99) < 50MiB': 'MiB' in '50MiB' is not a unit of "
                + "time; expected one of: ns, us, µs, ms, s, m, h"
        ),
        ScenarioMistake(
            "p(99) <",
            "p(98) <",
            "14:17: 'p(98) < 50ms': 'ui.response' has no percentile 'p(98)'; expected one of: "
                + "p(50), p(90), p(95), p(99), p(99.9), p(99.99)"
        ),
        ScenarioMistake(
            "[ui.response.p99]",
            "[ui.response.p98]",
            "15:11: 'ui.response' has no aggregate 'p98'; did you mean 'p99'?"
        ),
        ScenarioMistake(
            "[integrity-check]",
            "[integrity-chek]",
            "16:14: unknown invariant 'integrity-chek'; did you mean 'integrity-check'?"
        ),
        ScenarioMistake(
            "[integrity-check]",
            "[isolation]",
            "16:14: 'isolation' no longer exists; remove it from the invariants, because SQLite's "
                + "transactions are always serializable"
        ),
        ScenarioMistake(
            "[integrity-check]",
            "[snapshots-stable]",
            "16:14: invariant 'snapshots-stable' requires a client with access: snapshot"
        ),
        ScenarioMistake(
            "[integrity-check]",
            "[integrity-check, integrity-check]",
            "16:31: invariant 'integrity-check' is listed twice"
        ),
        ScenarioMistake(
            "[integrity-check]",
            "[{name: mine, sql: \"SELECT :n\"}]",
            "16:32: an invariant does not accept parameters, but has ':n' in 'SELECT :n'"
        ),
        ScenarioMistake(
            "[integrity-check]",
            "[{name: mine, sql: DELETE FROM t}]",
            "16:32: an invariant must be a query, not DELETE: 'DELETE FROM t'"
        ),
    ]
}
