import Testing
import WorkloadEngine

/// What a user can get wrong, where it is said to be, and what is said.
struct ScenarioErrorTests {
    /// A change to the good scenario and the one issue that it must cause.
    struct Slip: CustomTestStringConvertible, Sendable {
        var old: String
        var new: String
        var issue: String
        var testDescription: String { new }

        init(_ old: String, _ new: String, _ issue: String) {
            self.old = old
            self.new = new
            self.issue = issue
        }
    }

    static let good = """
        version: 1
        name: good
        dataset: {preset: pgbench, scale: 1}
        arms:
          pool: {type: pool, readers: 4}
        phases:
          - {name: steady, duration: 30s}
        variables:
          n: {distribution: uniform, min: 1, max: 9}
        clients:
          ui: {access: read, arrival: {rate: 200/s}, sql: "SELECT :n"}
          report: {access: read, hold: 3s, every: 10s}
        thresholds:
          ui.response: ["p(99) < 50ms"]
        primary: [ui.response.p99]
        invariants: [integrity-check]
        """

    @Test func theScenarioItselfIsGood() throws {
        _ = try Scenario.parse(yaml: Self.good, file: "good.yaml")
    }

    @Test(arguments: slips)
    func aSlipIsFoundInItsPlace(_ slip: Slip) throws {
        try #require(Self.good.contains(slip.old))
        let yaml = Self.good.replacing(slip.old, with: slip.new, maxReplacements: 1)
        let error = #expect(throws: ScenarioError.self) {
            try Scenario.parse(yaml: yaml, file: "f")
        }
        #expect(error?.description == "f:" + slip.issue)
    }

    static let slips = [
        Slip("version: 1", "version: 2", "1:10: version '2' is not known; this is version 1"),
        Slip(
            "name: good",
            "nmae: good",
            """
            1:1: the scenario needs 'name', such as name: my-workload
            f:2:1: unknown key 'nmae' in the scenario; did you mean 'name'?
            """
        ),
        Slip(
            "preset: pgbench",
            "preset: pgbnech",
            "3:19: 'preset' of the dataset must be one of pgbench, ycsb, sysbench, not 'pgbnech'"
                + "; did you mean 'pgbench'?"
        ),
        Slip(
            "scale: 1",
            "scale: many",
            "3:35: 'scale' of the dataset must be an integer, 1 to 100000, not 'many'"
        ),
        Slip(
            "readers: 4",
            "raeders: 4",
            "5:22: unknown key 'raeders' in arm 'pool'; did you mean 'readers'?"
        ),
        Slip(
            "readers: 4",
            "readers: 0",
            "5:31: 'readers' of arm 'pool' must be an integer, 1 to 1000, not '0'"
        ),
        Slip(
            "{type: pool, readers: 4}",
            "{library: gdrb, type: pool}",
            "5:19: 'library' of arm 'pool' must be one of engine, raw, grdb, not 'gdrb'"
                + "; did you mean 'grdb'?"
        ),
        Slip(
            "{type: pool,",
            "{type: queue,",
            "5:23: 'readers' goes with type: pool; a queue has one connection"
        ),
        Slip(
            "duration: 30s",
            "duration: 30",
            "7:30: 'duration' of a phase: '30' has no unit; write 50ms, 30s, 2m"
        ),
        Slip(
            "duration: 30s",
            "duration: 30sec",
            "7:30: 'duration' of a phase: '30sec' has the unit 'sec', which is no unit of time; "
                + "write 50ms, 30s, 2m; known: ns, us, µs, ms, s, m, h"
        ),
        Slip(
            "30s}",
            "30s, measure: false}",
            "6:1: no phase is measured: one needs measure: true"
        ),
        Slip(
            "uniform",
            "unifrom",
            "9:21: 'distribution' of variable 'n' must be one of uniform, zipfian, latest, "
                + "hotspot, exponential, gaussian, sequential, text, blob, words, template, "
                + "choice, not 'unifrom'; did you mean 'uniform'?"
        ),
        Slip(
            "{distribution: uniform, min: 1, max: 9}",
            "{distribution: zipfian, min: 1, max: 4611686018427387903}",
            "9:38: a zipfian has at most 4503599627370496 values"
        ),
        Slip(
            "{distribution: uniform, min: 1, max: 9}",
            "{distribution: zipfian, theta: 0, min: 1, max: 9}",
            "9:37: 'theta' of variable 'n' must be a number above 0 and at most 100, not '0'"
        ),
        Slip(
            "{type: pool, readers: 4}",
            "{library: raw, readers: 4}",
            "5:24: 'readers' goes with type: pool; bare libsqlite3 has a connection for each worker"
        ),
        Slip(
            "{type: pool, readers: 4}",
            "{library: raw, type: queue}",
            "5:24: 'type: queue' does not go with library: raw, where each worker has a connection; "
                + "leave it out"
        ),
        Slip(
            "{type: pool, readers: 4}",
            "{type: pool, journal: delete}",
            "5:31: a pool's journal is always wal"
        ),
        Slip(
            "{type: pool, readers: 4}",
            "{type: memory, journal: wal}",
            "5:33: a database in memory has the journal memory or off, not wal"
        ),
        Slip(
            "{type: pool, readers: 4}",
            "{type: pool, setup: \"DELETE FROM t WHERE a = :a\"}",
            "5:29: an arm's setup takes no parameters, but has ':a' in 'DELETE FROM t WHERE a = :a'"
        ),
        Slip(
            "{type: pool, readers: 4}",
            "{type: pool, file: no/such.sqlite}",
            "5:28: there is no file 'no/such.sqlite'"
        ),
        Slip(
            "{type: pool, readers: 4}",
            "{type: pool, file: /}",
            "5:28: '/' is a folder, not a database"
        ),
        Slip(
            "{preset: pgbench, scale: 1}",
            "{preset: pgbench, table-size: 1}",
            "3:28: 'table-size' goes with sysbench; pgbench has 'scale'"
        ),
        Slip(
            "{preset: pgbench, scale: 1}",
            "{schema: CREATE TABLE t (a), rows: {t: {cuont: 1}}}",
            """
            3:46: table 't' needs 'count', such as count: 10000
            f:3:50: unknown key 'cuont' in table 't'; did you mean 'count'?
            """
        ),
        Slip(
            "{preset: pgbench, scale: 1}",
            "{schema: CREATE TABLE t (a), rows: {t: {count: 1, columns: {a: sequense}}}}",
            "3:73: column 'a' must be sequence or a distribution such as {distribution: uniform, "
                + "min: 1, max: 9}, not 'sequense'; did you mean 'sequence'?"
        ),
        Slip(
            "{preset: pgbench, scale: 1}",
            "{schema: CREATE TABLE t (a), scale: 3}",
            "3:39: 'scale' goes with 'preset' or 'rows'"
        ),
        Slip(
            "{distribution: uniform, min: 1, max: 9}",
            "{distribution: text, length: 4Kib}",
            "9:35: 'length' of variable 'n' must be 0 to 1000000, such as 100, 4KiB, or a "
                + "distribution, not '4Kib'"
        ),
        Slip(
            "{distribution: uniform, min: 1, max: 9}",
            "{distribution: uniform, range: adi}",
            "9:37: 'range' of variable 'n' must name a variable of the dataset, not 'adi'"
                + "; did you mean 'aid'?"
        ),
        Slip(
            "{distribution: uniform, min: 1, max: 9}",
            "{distribution: latest, of: aid, min: 1, max: 9}",
            "9:33: 'of' of variable 'n' names 'aid', which is not sequential"
        ),
        Slip(
            "{distribution: uniform, min: 1, max: 9}",
            "{distribution: gaussian, parameter: 1, min: 1, max: 9}",
            "9:42: 'parameter' of variable 'n' must be at least 2.0"
        ),
        Slip(
            "{distribution: uniform, min: 1, max: 9}",
            "{distribution: choice, values: [a, b], weights: [1]}",
            "9:54: 'weights' of variable 'n' must be a list with a number for each of the 2 values"
        ),
        Slip(
            "{distribution: uniform, min: 1, max: 9}",
            "{distribution: hotspot, min: 1, max: 9, set: 20}",
            "9:51: 'set' of variable 'n': '20' has no unit; write 40%"
        ),
        Slip(
            "clients:",
            "statements: {two: [SELECT 1, SELECT 2]}\nclients:",
            "10:19: statement 'two' has 2 statements; write them under 'transactions'"
        ),
        Slip("max: 9", "max: 0", "9:38: 'max' of variable 'n' is 0, below 'min' 1"),
        Slip(
            "max: 9",
            "theta: 2",
            """
            9:3: variable 'n' needs 'max', such as max: 1000
            f:9:38: 'theta' does not go with uniform
            """
        ),
        Slip(
            "SELECT :n",
            "SELECT :aidd",
            "11:51: undefined variable ':aidd' in 'SELECT :aidd'; did you mean ':aid'?"
        ),
        Slip(
            "SELECT :n",
            "SELECT ?",
            "11:51: parameter '?' in 'SELECT ?' gets no value; write :name"
        ),
        Slip(
            "SELECT :n",
            "DELETE FROM t",
            "11:51: DELETE in an access that reads: 'DELETE FROM t'; write access: write"
        ),
        Slip("SELECT :n", "-- nothing", "11:51: 'sql' of client 'ui' has no SQL in '-- nothing'"),
        Slip(
            "sql: \"SELECT :n\"",
            "use: selct-only",
            "11:51: unknown transaction 'selct-only'; did you mean 'select-only'?"
        ),
        Slip(
            "sql: \"SELECT :n\"",
            "use: ycsb-read",
            "11:51: transaction 'ycsb-read' needs the dataset ycsb"
        ),
        Slip(
            "sql: \"SELECT :n\"",
            "workers: 2",
            "11:3: client 'ui' needs 'sql', 'use', 'mix', 'hold' or 'rows'"
        ),
        Slip(
            "rate: 200/s",
            "rate: 200",
            "11:38: 'rate' of 'arrival' of client 'ui': '200' has no unit; write 200/s, 0.5/s"
        ),
        Slip(
            "rate: 200/s",
            "rate: 0/s",
            "11:38: 'rate' of 'arrival' of client 'ui' must be above 0 and at most 10000000/s"
        ),
        Slip(
            "{rate: 200/s}",
            "{rate: 200/s, process: poison}",
            "11:54: 'process' of 'arrival' of client 'ui' must be one of poisson, even, not "
                + "'poison'; did you mean 'poisson'?"
        ),
        Slip(
            "access: read, hold",
            "acces: read, hold",
            """
            12:3: client 'report' needs 'access', such as access: read
            f:12:12: unknown key 'acces' in client 'report'; did you mean 'access'?
            """
        ),
        Slip(
            "access: read, hold",
            "access: write, hold",
            "12:27: 'hold' goes with access: read or snapshot, not write"
        ),
        Slip(
            "every: 10s",
            "every: 30s",
            "12:43: 'every' of client 'report' is 30.0s, so nothing happens in 30.0s"
        ),
        Slip(
            "every: 10s",
            "at: 40s",
            "12:40: 'at' of client 'report' is 40.0s, not before the end of the measured 30.0s"
        ),
        Slip(
            "hold: 3s",
            "hold: 21s",
            "12:32: 'hold' of client 'report' lasts 21.0s from the first 10.0s on, beyond the "
                + "measured 30.0s"
        ),
        Slip(
            "hold: 3s",
            "hold: 110%",
            "12:32: 'hold' of client 'report': '110%' is too large for a share; write 40%"
        ),
        Slip(
            "every: 10s",
            "every: 10s, think: 1s",
            "12:48: 'think' does not go with 'every'"
        ),
        Slip(
            "{access: read, hold: 3s, every: 10s}",
            "{action: chekpoint, every: 5s}",
            "12:20: 'action' of client 'report' must be one of backup, cancel, checkpoint, "
                + "interrupt, not 'chekpoint'; did you mean 'checkpoint'?"
        ),
        Slip(
            "{access: read, hold: 3s, every: 10s}",
            "{action: interrupt}",
            "12:3: client 'report' needs 'every' or 'at', such as every: 10%"
        ),
        Slip(
            "ui.response: [",
            "iu.response: [",
            "14:3: unknown client 'iu' in metric 'iu.response'; did you mean 'ui'?"
        ),
        Slip(
            "ui.response: [",
            "ui.respons: [",
            "14:3: unknown metric 'respons' of 'ui'; did you mean 'response'?"
        ),
        Slip(
            "50ms",
            "50MiB",
            "14:17: the limit of 'p(99) < 50MiB': '50MiB' has the unit 'MiB', which is no unit of "
                + "time; write 50ms, 30s, 2m; known: ns, us, µs, ms, s, m, h"
        ),
        Slip(
            "p(99) <",
            "p(98) <",
            "14:17: 'p(98)' cannot be taken of 'ui.response' in 'p(98) < 50ms'; percentiles: "
                + "p(50), p(90), p(95), p(99), p(99.9)"
        ),
        Slip(
            "[ui.response.p99]",
            "[ui.response.p98]",
            "15:11: 'p98' cannot be taken of 'ui.response'; did you mean 'p99'?"
        ),
        Slip(
            "[integrity-check]",
            "[integrity-chek]",
            "16:14: unknown invariant 'integrity-chek'; did you mean 'integrity-check'?"
        ),
        Slip(
            "[integrity-check]",
            "[snapshots-stable]",
            "16:14: invariant 'snapshots-stable' needs a client with access: snapshot"
        ),
        Slip(
            "[integrity-check]",
            "[integrity-check, integrity-check]",
            "16:31: invariant 'integrity-check' is there twice"
        ),
        Slip(
            "[integrity-check]",
            "[{name: mine, sql: \"SELECT :n\"}]",
            "16:32: an invariant takes no parameters, but has ':n' in 'SELECT :n'"
        ),
        Slip(
            "[integrity-check]",
            "[{name: mine, sql: DELETE FROM t}]",
            "16:32: an invariant reads, but 'DELETE FROM t' is DELETE"
        ),
        Slip(
            "  report: {",
            "  pool: {",
            "12:3: the name 'pool' is taken; choose another"
        ),
    ]

    @Test func everythingWrongIsSaidAtOnceInTheOrderOfTheFile() throws {
        let yaml = Self.good
            .replacing("readers: 4", with: "readers: four")
            .replacing("SELECT :n", with: "SELECT :m")
            .replacing("version: 1", with: "version: 0")
        let error = #expect(throws: ScenarioError.self) {
            try Scenario.parse(yaml: yaml, file: "f")
        }
        #expect(error?.issues.map(\.line) == [1, 5, 11])
    }

    /// Whatever a file holds, it is a scenario or a ``ScenarioError``, never the end of the program.
    @Test(.timeLimit(.minutes(1)), arguments: Presets.all.map(\.name))
    func aDamagedFileIsNeverFatal(name: String) throws {
        let text = Array(try #require(Presets.named(name)).yaml.utf8)
        let debris = Array("{}[]:,'\"#&*!|>%@`-?\n 0129xs~\u{0}\u{FF}".utf8)
        var stream = RandomStream(seed: 1, stream: name)
        var damaged = 0
        for _ in 0..<150 {
            var bytes = text
            for _ in 0...stream.next(below: 4) {
                let place = Int(stream.next(below: UInt64(bytes.count)))
                let count = min(Int(stream.next(below: 6)), bytes.count - place)
                let piece = (0..<Int(stream.next(below: 4))).map { _ in
                    debris[Int(stream.next(below: UInt64(debris.count)))]
                }
                bytes.replaceSubrange(place..<place + count, with: piece)
            }
            do throws(ScenarioError) {
                _ = try Scenario.parse(yaml: String(decoding: bytes, as: UTF8.self), file: "f")
            } catch {
                #expect(!error.issues.isEmpty)
                damaged += 1
            }
        }
        #expect(damaged > 10)
    }

    @Test func whatIsNoYAMLIsSaidWithItsLine() throws {
        let error = #expect(throws: ScenarioError.self) {
            try Scenario.parse(yaml: "version: 1\nname: [a\ndataset: {", file: "f")
        }
        let issue = try #require(error?.issues.first)
        #expect(issue.line == 3)
        #expect(issue.message.hasPrefix("this is no YAML: "))
        #expect(issue.message.hasSuffix("near 'dataset: {'"))
    }

    @Test(arguments: ["", "# a comment\n"])
    func anEmptyFileIsSaidToBeEmpty(yaml: String) {
        let error = #expect(throws: ScenarioError.self) {
            try Scenario.parse(yaml: yaml, file: "f")
        }
        #expect(error?.description == "f: the file is empty; a scenario begins with version: 1")
    }

    @Test func aKeyWrittenTwiceIsAnError() {
        let error = #expect(throws: ScenarioError.self) {
            try Scenario.parse(yaml: Self.good + "\nname: again", file: "f")
        }
        #expect(error?.description.contains("written twice: 'name'") == true)
    }

    @Test func aTextThatIsNoMappingIsAnError() {
        let error = #expect(throws: ScenarioError.self) {
            try Scenario.parse(yaml: "hello", file: "f")
        }
        #expect(error?.description == "f:1:1: the scenario must be a mapping, not 'hello'")
    }
}
