import Foundation
import SQLiteEngine
import TestSupport
import Testing
import WorkloadEngine

@testable import Comparison

/// Tests `poolgauge try` and `poolgauge scenarios new` on an existing database.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct TryCommandTests {
    private func makeDatabase(in folder: URL) throws {
        let path = folder.appendingPathComponent("app.sqlite").path
        let queue = try DatabaseQueue(path: path)
        try queue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT UNIQUE);
                    CREATE TABLE orders (
                        id INTEGER PRIMARY KEY, customer INTEGER REFERENCES customer, state TEXT);
                    CREATE INDEX orders_customer ON orders (customer);
                    CREATE TABLE fixed (id INTEGER PRIMARY KEY, text TEXT);
                    CREATE TRIGGER no_update BEFORE UPDATE ON fixed
                        BEGIN SELECT raise(ABORT, 'it is fixed'); END;
                    CREATE VIRTUAL TABLE search USING fts5(text);
                    """
            )
            for number in 1...200 {
                try db.execute(
                    sql: "INSERT INTO customer (name) VALUES (?)",
                    arguments: ["c\(number)"]
                )
                try db.execute(
                    sql: "INSERT INTO orders (customer, state) VALUES (?, ?)",
                    arguments: [number, ["open", "sent"][number % 2]]
                )
                try db.execute(sql: "INSERT INTO fixed (text) VALUES ('x')")
                try db.execute(sql: "INSERT INTO search VALUES ('red apple on the table')")
            }
        }
        try queue.close()
    }

    private let statements = [
        "--read", "SELECT * FROM orders WHERE customer = :customer",
        "--write", "UPDATE orders SET state = :state WHERE id = :id",
    ]

    @Test func statementsRunOnACopyWithValuesFromTheirColumns() throws {
        try withTemporaryFolder { folder in
            try makeDatabase(in: folder)
            let before = try Data(contentsOf: folder.appendingPathComponent("app.sqlite"))
            let outcome = try HeadlessProgram.run(
                ["try", "--database", "app.sqlite", "--clients", "3", "--rate", "100/s"]
                    + statements + ["--arms", "queue,pool-2", "--duration", "1s"]
                    + ["--format", "json"],
                in: folder
            )
            #expect([0, 5].contains(outcome.status), "\(outcome)")
            let result = try JSONDecoder().decode(RunResult.self, from: Data(outcome.output.utf8))
            #expect(result.runs.map(\.arm) == ["queue", "pool-2"])
            for run in result.runs {
                #expect(run.clients.values.allSatisfy { $0.errorCount == 0 })
                // Each customer has one order, so each read returns one row.
                let reads = run.clients["reads"]?.operations?.values.first
                #expect(reads?.profile?.counters?.rows == 1)
                #expect((run.clients["writes"]?.completed ?? 0) > 0)
            }
            let after = try Data(contentsOf: folder.appendingPathComponent("app.sqlite"))
            #expect(before == after)
            #expect(contents(of: folder) == ["app.sqlite"])
        }
    }

    @Test func theScenarioRunsAndIsPrinted() throws {
        try withTemporaryFolder { folder in
            try makeDatabase(in: folder)
            let arguments =
                ["try", "--database", "app.sqlite", "--print", "--duration", "500ms"]
                + ["--arms", "pool"] + statements
            let printed = try HeadlessProgram.run(arguments, in: folder)
            #expect([0, 5].contains(printed.status), "\(printed)")
            #expect(printed.output.hasPrefix("# Written by 'poolgauge try'."))
            #expect(printed.errors.contains("try-app on pool: "), "\(printed.errors)")
            let saved = try HeadlessProgram.run(
                arguments + ["--format", "json", "--output", "report.json"],
                in: folder
            )
            #expect(saved.output == printed.output)
            #expect(!saved.errors.contains("try-app on pool"))
            let report = try JSONDecoder().decode(
                RunResult.self,
                from: Data(contentsOf: folder.appendingPathComponent("report.json"))
            )
            #expect(report.environment.scenarioText == printed.output)
            let refused = try HeadlessProgram.run(arguments + ["--format", "json"], in: folder)
            #expect(refused.status == 64)
            #expect(refused.errors.contains("specify a file for the json report with --output"))
            try printed.output.write(
                to: folder.appendingPathComponent("mine.yaml"),
                atomically: true,
                encoding: .utf8
            )
            for command in [
                ["scenarios", "validate", "mine.yaml"],
                ["run", "mine.yaml", "--arm", "pool", "--duration", "500ms"],
            ] {
                let outcome = try HeadlessProgram.run(command, in: folder)
                #expect([0, 5].contains(outcome.status), "\(outcome)")
            }
        }
    }

    @Test(arguments: [
        (["--read", "UPDATE orders SET state = ''"], "writes (UPDATE); use --write"),
        (["--write", "SELECT 1"], "--write: 'SELECT 1' only reads; use --read"),
        (["--read", "SELECT * FROM nothing"], "the database has no table 'nothing'"),
        (["--read", "SELECT abs(:x)"], "parameter ':x' does not correspond to a column"),
        (
            ["--read", "SELECT id FROM orders WHERE stat = :stat"],
            "no such column: stat; did you mean 'state'?"
        ),
        (["--read", "SELECT abs(?)"], "a parameter '?' does not correspond to a column"),
        (
            ["--write", "INSERT INTO orders VALUES (:a, :b, :c, :d, :e, :f, :g, :h, :i)"],
            "columns but 9 values were supplied"
        ),
        (["--read", "SELECT 1", "--values", "x=foo"], "--values 'x=foo' has no distribution"),
        (
            ["--read", "SELECT abs(:n)", "--values", "n=distribution: uniform, min: 1, max: 9"]
                + ["--values", "nn=distribution: uniform, min: 1, max: 9"],
            "--values: no statement has a parameter ':nn'; did you mean 'n'?"
        ),
        (
            ["--read", "SELECT 1", "--values", "x=distribution: uniform, min: 1, max: 9"],
            "--values: no statement has a parameter ':x'"
        ),
        (["--read", "SELECT 1", "--write-share", "20%"], "--write-share requires --write"),
        (
            ["--write", "DELETE FROM orders WHERE id = :id", "--write-share", "20%"],
            "--write-share requires --read"
        ),
        (["--read", "SELECT 1", "--arms", "pol"], "--arms: there is no arm 'pol'"),
        ([], "there is nothing to run"),
    ])
    func invalidStatementsAreRejected(arguments: [String], message: String) throws {
        try withTemporaryFolder { folder in
            try makeDatabase(in: folder)
            let outcome = try HeadlessProgram.run(
                ["try", "--database", "app.sqlite"] + arguments,
                in: folder
            )
            #expect(outcome.status == 64)
            #expect(outcome.errors.contains(message), "\(outcome.errors)")
            #expect(contents(of: folder) == ["app.sqlite"])
        }
    }

    @Test func everyRangeHasRows() throws {
        try withTemporaryFolder { folder in
            try makeDatabase(in: folder)
            let outcome = try HeadlessProgram.run(
                ["try", "--database", "app.sqlite", "--arms", "queue", "--format", "json"]
                    + ["--duration", "500ms", "--clients", "2"]
                    + ["--read", "SELECT id FROM orders WHERE id BETWEEN :first AND :last"]
                    + ["--read", "SELECT id FROM orders WHERE state BETWEEN :low AND :high"],
                in: folder
            )
            #expect([0, 5].contains(outcome.status), "\(outcome)")
            let result = try JSONDecoder().decode(RunResult.self, from: Data(outcome.output.utf8))
            let operations = try #require(result.runs.first?.clients["reads"]?.operations)
            #expect(operations.count == 2)
            for operation in operations.values {
                #expect(operation.profile?.counters?.rows ?? 0 > 0)
            }
        }
    }

    @Test func aNewScenarioIsValidAndRuns() throws {
        try withTemporaryFolder { folder in
            try makeDatabase(in: folder)
            let created = try HeadlessProgram.run(
                ["scenarios", "new", "--database", "app.sqlite", "--output", "mine.yaml"],
                in: folder
            )
            #expect(created.status == 0, "\(created)")
            let text = try String(
                contentsOf: folder.appendingPathComponent("mine.yaml"),
                encoding: .utf8
            )
            let repeated = try HeadlessProgram.run(
                ["scenarios", "new", "--database", "app.sqlite", "--output", "mine.yaml"],
                in: folder
            )
            #expect(
                repeated.status != 0 && repeated.errors.contains("or replace the file with --force")
            )
            #expect(
                text.contains("SELECT * FROM orders WHERE customer = :orders_customer LIMIT 50")
            )
            #expect(text.contains("UPDATE orders SET state = :orders_state WHERE id = :orders_id"))
            #expect(text.contains("SELECT rowid FROM search WHERE search MATCH :word LIMIT 50"))
            #expect(text.contains("No update of fixed, which failed: "))
            #expect(text.contains("it is fixed"))
            for command in [
                ["scenarios", "validate", "mine.yaml"],
                ["run", "mine.yaml", "--duration", "500ms", "--format", "json"],
            ] {
                let outcome = try HeadlessProgram.run(command, in: folder)
                #expect([0, 5].contains(outcome.status), "\(outcome)")
                guard command[0] == "run" else { continue }
                let result = try JSONDecoder()
                    .decode(RunResult.self, from: Data(outcome.output.utf8))
                #expect(result.runs.flatMap(\.clients.values).allSatisfy { $0.errorCount == 0 })
            }
        }
    }

    @Test func adviceFindsAMissingIndex() throws {
        try withTemporaryFolder { folder in
            let queue = try DatabaseQueue(path: folder.appendingPathComponent("app.sqlite").path)
            try queue.write { db in
                try db.execute(
                    sql: """
                        CREATE TABLE item (id INTEGER PRIMARY KEY, owner INTEGER, text TEXT);
                        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n
                          WHERE i < 30000)
                        INSERT INTO item (owner, text) SELECT i % 10000, 'text ' || i FROM n;
                        """
                )
            }
            try queue.close()
            let yaml = """
                version: 1
                name: items
                dataset: {file: app.sqlite}
                arms: {present: {type: queue, journal: wal}}
                phases: [{name: steady, duration: 2s}]
                variables: {owner: {distribution: choice, table: item, column: owner}}
                clients:
                  ui: {access: read, sql: "SELECT * FROM item WHERE owner = :owner"}
                """
            try yaml.write(
                to: folder.appendingPathComponent("items.yaml"),
                atomically: true,
                encoding: .utf8
            )
            let outcome = try HeadlessProgram.run(
                ["advise", "items.yaml", "--within", "30s", "--format", "json"],
                in: folder
            )
            // On a slow machine, the index may not be confirmed within the time limit (status 6).
            #expect([0, 6].contains(outcome.status), "\(outcome)")
            let result = try JSONDecoder()
                .decode(AdviceResult.self, from: Data(outcome.output.utf8))
            #expect(result.environment.versions.keys.sorted() == ["poolgauge", "sqlite"])
            #expect(result.settings?.hasPrefix("journal_mode wal, synchronous ") == true)
            let first = outcome.status == 0 ? result.recommended.first : result.candidates.first
            #expect(first?.change == "CREATE INDEX advised_item_owner ON item (owner)")
            #expect((first?.effect ?? 0) > 2)
        }
    }
}
