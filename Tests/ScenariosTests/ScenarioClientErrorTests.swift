import Testing

/// Tests mistakes in clients and their statements.
struct ScenarioClientErrorTests {
    @Test(arguments: mistakes)
    func aMistakeIsReportedAtItsPosition(_ mistake: ScenarioMistake) throws {
        try mistake.expectIssue()
    }

    static let mistakes = [
        ScenarioMistake(
            "SELECT :n",
            "SELECT :aidd",
            "11:51: undefined variable ':aidd' in 'SELECT :aidd'; did you mean ':aid'?"
        ),
        ScenarioMistake(
            "SELECT :n",
            "SELECT ?",
            "11:51: parameter '?' in 'SELECT ?' has no value; write :name"
        ),
        ScenarioMistake(
            "SELECT :n",
            "DELETE FROM t",
            "11:51: a read access cannot run DELETE: 'DELETE FROM t'; use access: write"
        ),
        ScenarioMistake(
            "SELECT :n",
            "-- nothing",
            "11:51: 'sql' of client 'ui' must contain a statement, not '-- nothing'"
        ),
        ScenarioMistake(
            "sql: \"SELECT :n\"",
            "use: selct-only",
            "11:51: unknown statement or transaction 'selct-only'; did you mean "
                + "'select-only'?"
        ),
        ScenarioMistake(
            "sql: \"SELECT :n\"",
            "use: ycsb-read",
            "11:51: transaction 'ycsb-read' requires dataset: {preset: ycsb}"
        ),
        ScenarioMistake(
            "sql: \"SELECT :n\"",
            "workers: 2",
            "11:3: client 'ui' requires 'sql', 'use', 'mix', 'hold', or 'rows'"
        ),
        ScenarioMistake(
            "rate: 200/s",
            "rate: 200",
            "11:38: 'arrival.rate' of client 'ui': '200' has no unit; write a rate such as "
                + "200/s or 0.5/s"
        ),
        ScenarioMistake(
            "rate: 200/s",
            "rate: 0/s",
            "11:38: 'arrival.rate' of client 'ui' must be above 0 and at most 10000000/s"
        ),
        ScenarioMistake(
            "{rate: 200/s}",
            "{rate: 200/s, process: poison}",
            "11:54: 'arrival.process' of client 'ui' must be one of poisson, even, not "
                + "'poison'; did you mean 'poisson'?"
        ),
        ScenarioMistake(
            "access: read, hold",
            "acces: read, hold",
            """
            12:3: client 'report' requires 'access', such as access: read
            f:12:12: unknown key 'acces' in client 'report'; did you mean 'access'?
            """
        ),
        ScenarioMistake(
            "access: read, hold",
            "access: write, hold",
            "12:27: 'hold' requires access: read or snapshot, not write"
        ),
        ScenarioMistake(
            "hold: 3s",
            "hold: 0s",
            "12:32: 'hold' of client 'report' must be a time longer than 0"
        ),
        ScenarioMistake(
            "every: 10s",
            "every: 0%",
            "12:43: 'every' of client 'report' must be a time longer than 0"
        ),
        ScenarioMistake(
            "every: 10s",
            "every: 30s",
            "12:43: 'every' of client 'report' is 30s, but must be shorter than the measured "
                + "time, 30s"
        ),
        ScenarioMistake(
            "every: 10s",
            "at: 40s",
            "12:40: 'at' of client 'report' is 40s, but must be before the end of the measured "
                + "time, 30s"
        ),
        ScenarioMistake(
            "hold: 3s",
            "hold: 21s",
            "12:32: 'hold' of client 'report' starts after 10s and lasts 21s, which exceeds "
                + "the measured time, 30s"
        ),
        ScenarioMistake(
            "hold: 3s",
            "hold: 110%",
            "12:32: 'hold' of client 'report': '110%' is too large; the "
                + "maximum is 100%"
        ),
        ScenarioMistake(
            "every: 10s",
            "every: 10s, think: 1s",
            "12:48: 'think' cannot be combined with 'every'"
        ),
        ScenarioMistake(
            "{access: read, hold: 3s, every: 10s}",
            "{action: chekpoint, every: 5s}",
            "12:20: 'action' of client 'report' must be one of backup, cancel, checkpoint, "
                + "interrupt, not 'chekpoint'; did you mean 'checkpoint'?"
        ),
        ScenarioMistake(
            "{access: read, hold: 3s, every: 10s}",
            "{action: interrupt}",
            "12:3: client 'report' requires 'every' or 'at', such as every: 10%"
        ),
        ScenarioMistake(
            "  report: {",
            "  pool: {",
            "12:3: the name 'pool' is reserved; choose another"
        ),
    ]
}
