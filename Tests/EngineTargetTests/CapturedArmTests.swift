import EngineTarget
import Foundation
import Scenarios
import Telemetry
import Testing

@testable import WorkloadEngine

/// Tests features of arms that captured scenarios use: kinds of `BEGIN`, busy timeouts, pauses, and
/// the guard.
@Suite(.timeLimit(.minutes(2)))
struct CapturedArmTests {
    private final class Folder {
        let url = FileManager.default.temporaryDirectory
            .appendingPathComponent("poolgauge-test-\(UUID().uuidString)")
        var file: String { url.appendingPathComponent("database.sqlite").path }
        init() throws {
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        }
        deinit { try? FileManager.default.removeItem(at: url) }
    }

    private static let client = WorkloadClientName("test")

    private func failure(
        _ target: any WorkloadTarget,
        sql: String,
        values: [WorkloadValue] = []
    ) -> WorkloadFailure? {
        do {
            try target.perform(.writeWithoutTransaction, as: Self.client) {
                _ = try $0.rows(sql, values)
            }
            return nil
        } catch {
            return target.failure(of: error)
        }
    }

    @Test(arguments: [Arm.Library.engine, .raw], [Arm.Kind.queue, .pool])
    func theGuardRejectsAndCountsOutsideAccess(
        library: Arm.Library,
        kind: Arm.Kind
    ) throws {
        let folder = try Folder()
        var arm = Arm(name: "a", kind: kind, library: library)
        arm.isGuarded = true
        let target = try EngineTargetFactory().open(arm, at: folder.file)
        defer { try? target.close() }
        let outside = FileManager.default.temporaryDirectory.path + "/poolgauge-outside.sqlite"
        let inside = folder.url.path + "/inside.sqlite"
        let denied = WorkloadFailure.error("SQLITE_AUTH")
        #expect(failure(target, sql: "ATTACH '\(outside)' AS o") == denied)
        #expect(failure(target, sql: "ATTACH '\(folder.url.path)/../o.sqlite' AS o") == denied)
        #expect(failure(target, sql: "ATTACH 'file:\(inside)' AS o") == denied)
        #expect(failure(target, sql: "ATTACH ? AS o", values: [.text(inside)]) == denied)
        #expect(failure(target, sql: "VACUUM INTO '\(inside)'") == denied)
        #expect(failure(target, sql: "VACUUM INTO '\(outside)'") == denied)
        // SQLite reports a rejected function as a statement error.
        #expect(
            failure(target, sql: "SELECT load_extension('/tmp/x')") == .error("SQLITE_ERROR")
        )
        #expect(failure(target, sql: "PRAGMA temp_store_directory = '/tmp'") == denied)
        #expect(
            target.refusals() == [
                "ATTACH": 3, "ATTACH of a file named by an expression": 1, "VACUUM INTO": 2,
                "load_extension": 1, "PRAGMA temp_store_directory": 1,
            ]
        )
        #expect(!FileManager.default.fileExists(atPath: outside))
        #expect(failure(target, sql: "VACUUM") == nil)
        #expect(failure(target, sql: "ATTACH '' AS temporary") == nil)
        #expect(failure(target, sql: "ATTACH '\(inside)' AS i") == nil)
    }

    @Test func withoutTheGuardStatementsAreNotRejected() throws {
        let folder = try Folder()
        let target = try EngineTargetFactory()
            .open(Arm(name: "a", kind: .queue), at: folder.file)
        defer { try? target.close() }
        #expect(failure(target, sql: "VACUUM INTO '\(folder.url.path)/copy.sqlite'") == nil)
        #expect(target.refusals().isEmpty)
    }

    /// Another connection can write while a deferred transaction only reads.
    @Test(arguments: [
        (Arm.Library.raw, Arm.Begin.deferred, true), (.raw, .immediate, false),
        (.engine, .deferred, true), (.engine, .exclusive, false),
    ])
    func aTransactionUsesTheBeginKindOfItsArm(
        library: Arm.Library,
        begin: Arm.Begin,
        allowsWrite: Bool
    ) throws {
        let folder = try Folder()
        var arm = Arm(name: "a", kind: .pool, library: library, journal: .wal)
        arm.begin = begin
        let target = try EngineTargetFactory().open(arm, at: folder.file)
        defer { try? target.close() }
        var other = Arm(name: "b", kind: .queue, journal: .wal)
        other.busyTimeout = .zero
        let second = try EngineTargetFactory().open(other, at: folder.file)
        defer { try? second.close() }
        #expect(failure(target, sql: "CREATE TABLE t (a)") == nil)
        try target.perform(.write, as: Self.client) { session in
            _ = try session.rows("SELECT * FROM t", [])
            let result = failure(second, sql: "INSERT INTO t VALUES (1)")
            #expect(result == (allowsWrite ? nil : .busy("SQLITE_BUSY")))
        }
    }

    @Test(arguments: [Arm.Library.engine, .raw])
    func aConnectionUsesTheBusyTimeoutOfItsArm(library: Arm.Library) throws {
        let folder = try Folder()
        var arm = Arm(name: "a", kind: .pool, library: library)
        arm.busyTimeout = .milliseconds(50)
        let target = try EngineTargetFactory().open(arm, at: folder.file)
        defer { try? target.close() }
        let holder = try EngineTargetFactory()
            .open(Arm(name: "b", kind: .queue, journal: .wal), at: folder.file)
        defer { try? holder.close() }
        try holder.perform(.write, as: Self.client) { session in
            _ = try session.rows("PRAGMA user_version = 1", [])
            let start = ContinuousClock.now
            let result = failure(target, sql: "PRAGMA user_version = 2")
            #expect(result == .busy("SQLITE_BUSY"))
            let waited = ContinuousClock.now - start
            // Without this setting, the busy timeout of a raw arm is ten seconds.
            #expect(waited >= .milliseconds(50) && waited < .seconds(5))
        }
    }

    private func run(_ scenario: Scenario) async throws -> ArmResult {
        var options = RunOptions()
        options.datasets = nil
        let run = WorkloadRun(
            scenario: scenario,
            arm: scenario.arms[0],
            factory: EngineTargetFactory(),
            options: options
        )
        return try await run.run()
    }

    /// A pause is part of an access, so few accesses fit into the run.
    @Test func aPauseIsPartOfItsAccess() async throws {
        let result = try await run(
            Scenario.parse(
                yaml: """
                    version: 1
                    name: rests
                    dataset: {schema: "CREATE TABLE t (a)"}
                    arms: {a: {library: raw}}
                    phases: [{name: steady, duration: 500ms}]
                    clients: {app: {access: read, sql: [SELECT 1, {pause: 50ms}]}}
                    """,
                file: "f"
            )
        )
        let app = try #require(result.clients["app"])
        #expect(app.completed > 0 && app.completed <= 10)
        #expect(try #require(app.service).max >= 50_000_000)
    }

    @Test func valuesComeFromColumnsInTheDatabaseOfTheRun() async throws {
        let result = try await run(
            Scenario.parse(
                yaml: """
                    version: 1
                    name: columns
                    dataset:
                      schema: "CREATE TABLE users (id INTEGER PRIMARY KEY, mail TEXT UNIQUE)"
                      rows:
                        users:
                          count: 500
                          columns:
                            id: sequence
                            mail: {distribution: sequential, min: 1000, prefix: mail-}
                    arms: {a: {type: queue, synchronous: "off"}}
                    phases: [{name: steady, duration: 400ms}]
                    variables:
                      mail: {distribution: choice, table: users, column: mail}
                      id: {distribution: zipfian, table: users, column: id}
                      new: {distribution: sequential, table: users, column: id}
                    clients:
                      read: {access: read, think: 1ms, sql: "SELECT mail FROM users WHERE id = :id"}
                      add: {access: write, think: 1ms, sql: INSERT INTO users (id) VALUES (:new)}
                      seek:
                        access: read
                        sql:
                          - {sql: "SELECT id FROM users WHERE mail = :mail", into: found}
                          # Fails if no row has the value.
                          - {if: ":found is null", do: "SELECT abs(-9223372036854775808)"}
                    """,
                file: "f"
            )
        )
        #expect(try #require(result.clients["add"]).errorCount == 0)
        #expect(try #require(result.clients["add"]).completed > 10)
        #expect(try #require(result.clients["seek"]).errorCount == 0)
        #expect(try #require(result.clients["seek"]).completed > 100)
    }

    /// A pair of columns is a key, and one of its values is in most of the rows.
    @Test(arguments: [20, 20_000], ["", ", distinct: true"])
    func valuesComeFromOneRow(rows: Int, options: String) async throws {
        let result = try await run(
            Scenario.parse(
                yaml: """
                    version: 1
                    name: rows
                    dataset:
                      sql:
                        - "CREATE TABLE t (a TEXT, b INT, rest)"
                        - "WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n LIMIT \(rows))
                           INSERT INTO t SELECT iif(n % 10 = 0, 'x' || n, 'popular'), n, 0 FROM n"
                    arms: {a: {type: queue, synchronous: "off"}}
                    phases: [{name: steady, duration: 300ms}]
                    variables:
                      b: {distribution: choice, table: t, column: b, same-row: a}
                      a: {distribution: choice, table: t, column: a}
                      p: {distribution: choice, table: t, column: a\(options)}
                    clients:
                      seek:
                        access: read
                        sql:
                          - {sql: "SELECT b FROM t WHERE a = :a AND b = :b LIMIT 1", into: found}
                          # Fails if no row has the values.
                          - {if: ":found is null", do: "SELECT abs(-9223372036854775808)"}
                      popular:
                        access: read
                        sql:
                          - {sql: "SELECT :p = 'popular', 1", into: [is, no]}
                          - {if: ":is = 1", do: "SELECT abs(-9223372036854775808)"}
                    """,
                file: "f"
            )
        )
        let seek = try #require(result.clients["seek"])
        #expect(seek.errorCount == 0)
        #expect(seek.completed > 5)
        let popular = try #require(result.clients["popular"])
        let share = Double(popular.errorCount) / Double(popular.errorCount + popular.completed)
        // The popular value is one of three, or of 2,001.
        let expected = options.isEmpty ? 0.9 : 1 / (1 + Double(rows) / 10)
        #expect(abs(share - expected) < 0.1, "\(share)")
    }

    /// The copies of the data have the same rows, whatever the indexes of an arm.
    @Test func columnsAreReadOnceForTheRunsOfABlock() throws {
        let folder = try Folder()
        let target = try EngineTargetFactory().open(Arm(name: "a", kind: .queue), at: folder.file)
        defer { try? target.close() }
        func run(_ sql: String) throws {
            try target.perform(.write, as: Self.client) { _ = try $0.run(sql, []) }
        }
        try run("CREATE TABLE t (a)")
        try run("INSERT INTO t VALUES (1), (2)")
        let scenario = try Scenario.parse(
            yaml: """
                version: 1
                name: columns
                dataset: {schema: "CREATE TABLE t (a)"}
                arms: {a: {type: queue}}
                phases: [{name: steady, duration: 100ms}]
                variables: {a: {distribution: choice, table: t, column: a}}
                clients: {app: {access: read, sql: "SELECT :a"}}
                """,
            file: "f"
        )
        let store = DatasetStore(in: folder.url)
        let first = try store.resolvingColumns(of: scenario, on: target)
        try run("DELETE FROM t")
        #expect(try store.resolvingColumns(of: scenario, on: target) == first)
        let other = try store.resolvingColumns(of: scenario.with(seed: 7), on: target)
        #expect(other.variables != first.variables)
        store.remove()
        #expect(try store.resolvingColumns(of: scenario, on: target) != first)
    }

    @Test(arguments: [
        ("{distribution: uniform, table: t, column: b}", "has values that are not integers"),
        ("{distribution: uniform, table: t, column: nothing}", "no such column"),
        ("{distribution: uniform, table: nothing, column: a}", "no such table"),
    ])
    func anUnusableColumnIsReported(variable: String, message: String) async throws {
        let scenario = try Scenario.parse(
            yaml: """
                version: 1
                name: columns
                dataset: {sql: ["CREATE TABLE t (a, b)", "INSERT INTO t VALUES (1, 'x')"]}
                arms: {a: {type: queue}}
                phases: [{name: steady, duration: 100ms}]
                variables: {id: \(variable)}
                clients: {app: {access: read, sql: "SELECT :id"}}
                """,
            file: "f"
        )
        let error = await #expect(throws: RunError.self) { try await run(scenario) }
        #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
        #expect(error?.description.contains("variable 'id'") == true)
    }
}
