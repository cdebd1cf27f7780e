import Testing

/// Tests mistakes in datasets, arms, phases, and variables.
struct ScenarioErrorTests {
    @Test(arguments: mistakes)
    func aMistakeIsReportedAtItsPosition(_ mistake: ScenarioMistake) throws {
        try mistake.expectIssue()
    }

    static let mistakes = [
        ScenarioMistake(
            "version: 1",
            "version: 2",
            "1:10: version '2' is unknown; expected version: 1"
        ),
        ScenarioMistake(
            "version: 1\n",
            "",
            "1:1: the scenario has no 'version'; add version: 1"
        ),
        ScenarioMistake(
            "name: good",
            "nmae: good",
            """
            1:1: the scenario requires 'name', such as name: my-workload
            f:2:1: unknown key 'nmae' in the scenario; did you mean 'name'?
            """
        ),
        ScenarioMistake(
            "preset: pgbench",
            "preset: pgbnech",
            "3:19: 'preset' of the dataset must be one of pgbench, ycsb, sysbench, not 'pgbnech'"
                + "; did you mean 'pgbench'?"
        ),
        ScenarioMistake(
            "scale: 1",
            "scale: many",
            "3:35: 'scale' of the dataset must be an integer from 1 to 100000, not 'many'"
        ),
        ScenarioMistake(
            "readers: 4",
            "raeders: 4",
            "5:22: unknown key 'raeders' in arm 'pool'; did you mean 'readers'?"
        ),
        ScenarioMistake(
            "readers: 4",
            "readers: 0",
            "5:31: 'readers' of arm 'pool' must be an integer from 1 to 1000, not '0'"
        ),
        ScenarioMistake(
            "{type: pool, readers: 4}",
            "{library: gdrb, type: pool}",
            "5:19: 'library' of arm 'pool' must be one of engine, raw, grdb, not 'gdrb'"
                + "; did you mean 'grdb'?"
        ),
        ScenarioMistake(
            "{type: pool,",
            "{type: queue,",
            "5:23: 'readers' requires type: pool; a queue has one connection"
        ),
        ScenarioMistake(
            "duration: 30s",
            "duration: 30",
            "7:30: 'duration' of a phase: '30' has no unit; write a time such as 50ms, 30s, or "
                + "2m"
        ),
        ScenarioMistake(
            "duration: 30s",
            "duration: 30sec",
            "7:30: 'duration' of a phase: 'sec' in '30sec' is not a unit of time; "
                + "expected one of: ns, us, µs, ms, s, m, h"
        ),
        ScenarioMistake(
            "30s}",
            "30s, measure: false}",
            "6:1: no phase is measured; remove measure: false from at least one "
                + "phase"
        ),
        ScenarioMistake(
            "uniform",
            "unifrom",
            "9:21: 'distribution' of variable 'n' must be one of uniform, zipfian, latest, "
                + "hotspot, exponential, gaussian, sequential, text, blob, words, template, "
                + "choice, not 'unifrom'; did you mean 'uniform'?"
        ),
        ScenarioMistake(
            "{distribution: uniform, min: 1, max: 9}",
            "{distribution: zipfian, min: 1, max: 4611686018427387903}",
            "9:38: a zipfian range has at most 4503599627370496 values"
        ),
        ScenarioMistake(
            "{distribution: uniform, min: 1, max: 9}",
            "{distribution: zipfian, theta: 0, min: 1, max: 9}",
            "9:37: 'theta' of variable 'n' must be a number above 0 and at most 100, not '0'"
        ),
        ScenarioMistake(
            "{type: pool, readers: 4}",
            "{library: raw, readers: 4}",
            "5:24: 'readers' requires type: pool; bare libsqlite3 has a connection for each worker"
        ),
        ScenarioMistake(
            "{type: pool, readers: 4}",
            "{library: raw, type: queue}",
            "5:24: 'type: queue' cannot be combined with library: raw, where each worker has a "
                + "connection; remove 'type'"
        ),
        ScenarioMistake(
            "{type: pool, readers: 4}",
            "{type: pool, journal: delete}",
            "5:31: a pool's journal is always wal; remove 'journal'"
        ),
        ScenarioMistake(
            "{type: pool, readers: 4}",
            "{type: memory, journal: wal}",
            "5:33: a memory arm's journal must be memory or off, not wal"
        ),
        ScenarioMistake(
            "{type: pool, readers: 4}",
            "{type: pool, setup: \"DELETE FROM t WHERE a = :a\"}",
            "5:29: an arm's setup does not accept parameters, but has ':a' in "
                + "'DELETE FROM t WHERE a = :a'"
        ),
        ScenarioMistake(
            "{type: pool, readers: 4}",
            "{type: pool, file: no/such.sqlite}",
            "5:28: there is no file 'no/such.sqlite'; check the path"
        ),
        ScenarioMistake(
            "{type: pool, readers: 4}",
            "{type: pool, file: /}",
            "5:28: '/' is a folder; specify a database file in it"
        ),
        ScenarioMistake(
            "{preset: pgbench, scale: 1}",
            "{preset: pgbench, table-size: 1}",
            "3:28: 'table-size' is valid only for sysbench; for pgbench, use 'scale'"
        ),
        ScenarioMistake(
            "{preset: pgbench, scale: 1}",
            "{schema: CREATE TABLE t (a), rows: {t: {cuont: 1}}}",
            """
            3:46: table 't' requires 'count', such as count: 10000
            f:3:50: unknown key 'cuont' in table 't'; did you mean 'count'?
            """
        ),
        ScenarioMistake(
            "{preset: pgbench, scale: 1}",
            "{schema: CREATE TABLE t (a), rows: {t: {count: 1, columns: {a: sequense}}}}",
            "3:73: column 'a' must be sequence or a distribution such as {distribution: uniform, "
                + "min: 1, max: 9}, not 'sequense'; did you mean 'sequence'?"
        ),
        ScenarioMistake(
            "{preset: pgbench, scale: 1}",
            "{schema: CREATE TABLE t (a), scale: 3}",
            "3:39: 'scale' requires 'preset' or 'rows'"
        ),
        ScenarioMistake(
            "{distribution: uniform, min: 1, max: 9}",
            "{distribution: text, length: 4Kib}",
            "9:35: 'length' of variable 'n' must be a length from 0 to 1000000, such as 100 or "
                + "4KiB, or a distribution, not '4Kib'"
        ),
        ScenarioMistake(
            "{distribution: uniform, min: 1, max: 9}",
            "{distribution: uniform, range: adi}",
            "9:37: 'range' of variable 'n' must be a variable of the dataset, not 'adi'"
                + "; did you mean 'aid'?"
        ),
        ScenarioMistake(
            "{distribution: uniform, min: 1, max: 9}",
            "{distribution: latest, of: aid, min: 1, max: 9}",
            "9:33: variable 'n': 'of' must be a sequential variable, but 'aid' is not sequential"
        ),
        ScenarioMistake(
            "{distribution: uniform, min: 1, max: 9}",
            "{distribution: gaussian, parameter: 1, min: 1, max: 9}",
            "9:42: 'parameter' of variable 'n' must be at least 2.0"
        ),
        ScenarioMistake(
            "{distribution: uniform, min: 1, max: 9}",
            "{distribution: choice, values: [a, b], weights: [1]}",
            "9:54: 'weights' of variable 'n' must be a list with a number for each of the 2 values"
        ),
        ScenarioMistake(
            "{distribution: uniform, min: 1, max: 9}",
            "{distribution: hotspot, min: 1, max: 9, set: 20}",
            "9:51: 'set' of variable 'n': '20' has no unit; write a share such as 40%"
        ),
        ScenarioMistake(
            "clients:",
            "statements: {two: [SELECT 1, SELECT 2]}\nclients:",
            "10:19: statement 'two' is a list of 2 statements; write it under 'transactions'"
        ),
        ScenarioMistake(
            "max: 9",
            "max: 0",
            "9:38: 'max' of variable 'n' must be at least 'min' (1), not 0"
        ),
        ScenarioMistake(
            "max: 9",
            "theta: 2",
            """
            9:3: variable 'n' requires 'max', such as max: 1000
            f:9:38: 'theta' cannot be combined with uniform
            """
        ),
    ]
}
