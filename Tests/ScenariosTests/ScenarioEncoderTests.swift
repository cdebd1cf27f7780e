import Foundation
import TestSupport
import Testing
import YAML

@testable import Scenarios

/// Tests that an encoded scenario is read back unchanged.
struct ScenarioEncoderTests {
    /// Encodes and decodes a scenario, and returns the result without its text and positions.
    private func copy(_ scenario: Scenario) throws -> Scenario {
        let text = ScenarioEncoder.text(of: scenario)
        var copy = try Scenario.parse(yaml: text, file: scenario.file)
        copy.source = scenario.source
        copy.statementPositions = scenario.statementPositions
        return copy
    }

    @Test(arguments: Presets.all.map(\.name))
    func everyPresetIsReadBackUnchanged(name: String) throws {
        let scenario = try #require(Presets.named(name)).scenario()
        let first = try copy(scenario)
        #expect(first == scenario)
        #expect(try copy(first) == first)
    }

    @Test func everyKeyIsReadBackUnchanged() throws {
        try withTemporaryFolder { folder in
            // The scenario names a file, which must exist.
            try Data().write(to: folder.appendingPathComponent("other.sqlite"))
            let scenario = try Scenario.parse(
                yaml: Self.everyKey,
                file: folder.appendingPathComponent("all.yaml").path
            )
            #expect(try copy(scenario) == scenario, "\(ScenarioEncoder.text(of: scenario))")
        }
    }

    @Test func driversAreReadBackUnchanged() throws {
        let scenario = try Scenario.parse(yaml: Self.drivers, file: "drivers.yaml")
        #expect(try copy(scenario) == scenario, "\(ScenarioEncoder.text(of: scenario))")
    }

    /// A scenario with drivers, which exclude `guard`.
    private static let drivers = """
        version: 1
        name: drivers
        dataset: {schema: [CREATE TABLE t (id INTEGER PRIMARY KEY)]}
        arms:
          python: {driver: python, readers: 5, busy-timeout: 5s}
          mine: {driver: {command: [./mydriver, --fast], options: {retries: 3}}}
        phases: [{name: 'on', duration: 1s}]
        clients:
          r: {access: read, sql: SELECT 1}
        """

    /// A key that nobody encodes would otherwise not be noticed.
    @Test(arguments: [
        Language.scenario, Language.invariant, Language.busy, Language.phase, Language.driver,
        Language.arm, Language.dataset, Language.table, Language.variable, Language.length,
        Language.threshold, Language.client, Language.arrival, Language.ramp, Language.stage,
        Language.think, Language.operation, Language.step, Language.retry,
    ])
    func everyDeclaredKeyIsReadBack(shape: MappingShape) {
        let texts = [Self.everyKey, Self.drivers] + Presets.all.map(\.yaml)
        for key in shape.keys {
            #expect(texts.contains { $0.contains("\(key.name):") }, "\(shape.name): \(key.name)")
        }
    }

    /// A scenario with the keys that no preset uses.
    private static let everyKey = """
        version: 1
        name: 'all: of it'
        description: "first\\nsecond"
        seed: 18446744073709551615
        guard: captured
        dataset:
          schema: ['CREATE TABLE t (id INTEGER PRIMARY KEY, a, b, c, d, e, f)']
          rows:
            t:
              count: 10
              columns:
                id: sequence
                a: {distribution: text, length: {distribution: uniform, min: 1, max: 9}}
                b: {distribution: choice, values: [1, 1.5, 'x: y', '7', null], weights: [1, 2, 3, 4, 0.5]}
                c: {distribution: blob, length: 4KiB, nulls: 12.5%}
                d: {distribution: words, length: 3, vocabulary: 50}
                e: {distribution: template, template: '+49 ###'}
                f: {distribution: gaussian, min: -5, max: 5, parameter: 3}
          finally: [CREATE INDEX i ON t (a), 'CREATE INDEX j ON t (b)']
          scale: 2
        arms:
          raw: {library: raw, journal: delete, synchronous: full, begin: exclusive, busy: {timeout: 1234567ns, retry: fixed 1ms}, pragmas: {cache_size: -2000, temp_store: memory}}
          queue: {type: queue, busy: {timeout: 5s, retry: backoff}, setup: [ANALYZE, 'PRAGMA optimize']}
          pool: {type: pool, readers: 3}
          memory: {type: memory, journal: 'off'}
          other: {type: pool, file: other.sqlite}
        phases:
          - {name: warm up, duration: 1s, measure: false}
          - {name: 'on', duration: 60s}
        drain: 0s
        variables:
          z: {distribution: zipfian, theta: 0.7, scramble: true, min: 1, max: 9}
          l: {distribution: latest, of: s, min: 1, max: 9}
          s: {distribution: sequential, prefix: 'u ', hashed: true}
          h: {distribution: hotspot, set: 7%, draws: 33.3%, range: t_id}
          n: {distribution: sequential, after: t_id}
          x: {distribution: exponential, parameter: 2.5, min: 0, max: 9}
          c: {distribution: choice, table: t, column: a, theta: 0.8}
          v: {distribution: choice, distinct: true, table: t, column: a}
          w: {distribution: choice, same-row: v, table: t, column: b}
          t_id: {distribution: uniform}
        transactions:
          steps:
            - {sql: 'SELECT a, b FROM t WHERE id = :t_id', into: [p, q]}
            - {pause: {from: 1ms, to: 2500us}}
            - {if: ":p >= 1.5", sql: 'UPDATE t SET a = :q', else: [{repeat: 3, do: ['UPDATE t SET a = :z', {pause: {mean: 1ms}}]}]}
            - {unless: ":q is null", sql: 'UPDATE t SET b = :x'}
        clients:
          writes:
            access: write
            workers: 3
            arrival: {rate: [{for: 10%, rate: 0.00001/s}, {for: 5s, from: 1/s, to: 123.456/s}], process: even, skip-after: 1s}
            retry: {busy: 3}
            phases: ['on']
            then-read: SELECT count(*) FROM t
            mix:
              - {weight: 2.5, use: steps}
              - {weight: 1, name: one, access: read, sql: 'SELECT :c, :l, :h, :n, :s'}
          tasks: {access: read, style: async, cancel-after: 1s, supersede: true, think: {mean: 5ms}, sql: SELECT 1}
          cut: {access: read, interrupt-after: 30s, sql: SELECT 1}
          turns: {access: write, workers-of: cut, sql: DELETE FROM t}
          loads: {access: write, rows: 100, batch: 7, sql: 'INSERT INTO t (a) VALUES (:z)', at: 10%}
          holds: {access: read, hold: 1s, every: 2s, sql: SELECT 1}
          stops: {action: interrupt, client: tasks, every: 10%}
          wakes: {action: interrupt, connection: pool.reader.1, at: 1s}
          copies: {action: backup, pages: 7, at: 5s}
          points: {action: checkpoint, mode: truncate, every: 3s}
        primary: [writes.throughput]
        thresholds:
          writes.response: ["p(99) < 50ms", {limit: "max < 1s", abort: true, abort-after: 2s}]
          writes.errors: [{limit: "count < 5", abort: true}]
        invariants: [integrity-check, {name: rows, sql: 'SELECT count(*) > 0 FROM t'}]
        """

    @Test(arguments: HostileStrings.withoutNUL.filter(HostileStrings.isReadableByFoundation))
    func hostileTextIsReadBackUnchanged(text: String) throws {
        var scenario = try #require(Presets.named("ycsb-c")).scenario()
        scenario.name = "a" + text
        scenario.description = "b" + text
        let variable = Variable(distribution: .choice([.text(text)], weights: []))
        scenario.variables["hostile"] = variable
        #expect(try copy(scenario) == scenario)
    }

    @Test(arguments: [
        (0, "0ns"), (456, "456ns"), (1_000, "1us"), (12_300_000, "12.3ms"), (1_500_000_000, "1.5s"),
        (1_234_567, "1234.567us"), (31_622_400_000_000_000, "31622400s"),
    ])
    func timesAreExact(nanoseconds: Int64, text: String) throws {
        #expect(Quantity.exactText(.nanoseconds(nanoseconds)) == text)
        #expect(try Quantity.duration(text) == .nanoseconds(nanoseconds))
    }

    @Test(arguments: [0.07, 1 / 3.0, 0.333, 1, 1e-5, 0.125])
    func sharesAreExact(share: Double) throws {
        #expect(abs(try Quantity.share(Quantity.exactText(share: share)) - share) <= 1e-12)
    }

    @Test func commentsPrecedeTheirKeys() throws {
        let scenario = try #require(Presets.named("ycsb-c")).scenario()
        let arm = try #require(scenario.arms.first?.name)
        let text = ScenarioEncoder.text(
            of: scenario,
            introduction: ["Captured.", "- one\n- two"],
            comments: ["arms.\(arm)": ["One\u{2028}arm."], "dataset": ["Copied."]]
        )
        #expect(text.hasPrefix("# Captured.\n# - one - two\nversion: 1\n"))
        #expect(text.contains("\n  # One arm.\n  \(arm): {"))
        #expect(text.contains("# Copied.\ndataset: {preset: ycsb, records: "))
        var read = try Scenario.parse(yaml: text, file: scenario.file)
        read.source = scenario.source
        read.statementPositions = scenario.statementPositions
        #expect(read == scenario)
    }
}
