import Foundation
import SQLiteEngine
import TestSupport
import Testing

/// Tests `poolgauge rehearse`.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct RehearseCommandTests {
    private static let rowCount = 60_000

    private func makeDatabase(in folder: URL, isWAL: Bool = false) throws {
        let path = folder.appendingPathComponent("app.sqlite").path
        let queue = try DatabaseQueue(path: path)
        if isWAL {
            try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = WAL") }
        }
        try queue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE mail (id INTEGER PRIMARY KEY, folder INTEGER, subject TEXT);
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60000)
                    INSERT INTO mail SELECT i, i % 20, 'subject ' || i FROM n;
                    """
            )
        }
        try queue.close()
    }

    private func write(_ text: String, to name: String, in folder: URL) throws {
        try Data(text.utf8).write(to: folder.appendingPathComponent(name))
    }

    private func rehearse(
        _ sql: String,
        _ arguments: [String] = [],
        in folder: URL,
        sending signal: (number: Int32, after: String)? = nil
    ) throws -> HeadlessProgram.Outcome {
        try write(sql, to: "migration.sql", in: folder)
        return try HeadlessProgram.run(
            ["rehearse", "migration.sql", "--database", "app.sqlite"] + arguments,
            in: folder,
            sending: signal
        )
    }

    private func json(_ outcome: HeadlessProgram.Outcome) throws -> [String: Any] {
        let object = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8))
        return try #require(object as? [String: Any], "\(outcome)")
    }

    /// Rehearses, and checks that the database and its folder are unchanged.
    private func withDatabase(
        isWAL: Bool = false,
        _ body: (URL) throws -> Void
    ) throws {
        try withTemporaryFolder { folder in
            try makeDatabase(in: folder, isWAL: isWAL)
            let file = folder.appendingPathComponent("app.sqlite")
            let before = try Data(contentsOf: file)
            try body(folder)
            #expect(try Data(contentsOf: file) == before)
            #expect(contents(of: folder).filter { $0.hasPrefix(".poolgauge") } == [])
            #expect(contents(of: folder).filter { $0.hasPrefix("app.sqlite") } == ["app.sqlite"])
        }
    }

    @Test(arguments: [false, true]) func aMigrationRunsOnACopy(isWAL: Bool) throws {
        try withDatabase(isWAL: isWAL) { folder in
            let outcome = try rehearse(
                "CREATE INDEX i ON mail (subject);\nUPDATE mail SET folder = 1;\nVACUUM;",
                ["--format", "json", "--skip-batches"],
                in: folder
            )
            #expect(outcome.status == 0, "\(outcome.errors)")
            let report = try json(outcome)
            #expect(report["schema"] as? String == "poolgauge.rehearsal/1")
            #expect(report["journalMode"] as? String == (isWAL ? "wal" : "delete"))
            let alone = try #require(report["alone"] as? [String: Any])
            let steps = try #require(alone["steps"] as? [[String: Any]])
            #expect(steps.map { $0["changes"] as? Int } == [0, Self.rowCount, 0])
            let checks = alone["checks"] as? [String: Any]
            #expect((checks?["problems"] as? [String]) == [])
            let space = try #require(alone["space"] as? [String: Any])
            #expect((space[isWAL ? "wal" : "journal"] as? Int ?? 0) > 500_000, "\(space)")
            #expect((space["temporary"] as? Int ?? 0) > 0, "\(space)")
            let locks = try #require(alone["locks"] as? [String: Any])
            // The index, the update, and VACUUM need much longer than the time between two checks.
            #expect((locks["longestWriteHold"] as? Int ?? 0) > 1_000_000, "\(locks)")
            if !isWAL { #expect((locks["longestReadBlock"] as? Int ?? 0) > 0, "\(locks)") }
            let interruption = try #require(report["interruption"] as? [String: Any])
            for kind in ["interrupted", "killed"] {
                let state = try #require(interruption[kind] as? [String: Any])
                if state["wasComplete"] as? Bool == false {
                    #expect(state["problems"] as? [String] == [], "\(state)")
                }
            }
        }
    }

    @Test(arguments: [
        ("ATTACH 'other.sqlite' AS other", "ATTACH is denied"),
        ("ATTACH 'file:other.sqlite?mode=rwc' AS other", "ATTACH is denied"),
        ("VACUUM INTO 'other.sqlite'", "is denied"),
        ("SELECT load_extension('other.so')", "load_extension is denied"),
        ("PRAGMA temp_store_directory = '/'", "PRAGMA temp_store_directory is denied"),
        ("SELECT 1;\n.read other.sql", "line 3: '.read' is a command of the shell"),
    ])
    func statementsThatAccessOtherFilesAreDenied(sql: String, message: String) throws {
        try withDatabase { folder in
            let outcome = try rehearse("DELETE FROM mail;\n\(sql)", in: folder)
            #expect([1, 64].contains(outcome.status))
            #expect(outcome.errors.contains(message), "\(outcome.errors)")
            #expect(outcome.errors.contains("line "))
            #expect(!contents(of: folder).contains("other.sqlite"))
        }
    }

    @Test func attachingADatabaseInMemoryIsAllowed() throws {
        try withDatabase { folder in
            let outcome = try rehearse(
                "ATTACH ':memory:' AS m; CREATE TABLE m.t (a); DETACH m",
                ["--skip-interruption"],
                in: folder
            )
            #expect(outcome.status == 0, "\(outcome.errors)")
        }
    }

    @Test func aFailureStatesWhatRemains() throws {
        try withDatabase { folder in
            let outcome = try rehearse(
                "DELETE FROM mail WHERE id = 1;\nBEGIN;\nDELETE FROM mail;\nSELECT * FROM missing;",
                in: folder
            )
            #expect(outcome.status == 1)
            #expect(outcome.output.hasPrefix("FAILED  migration.sql on app.sqlite"))
            #expect(outcome.output.contains("line 4 failed: no such table: missing"))
            let words = outcome.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            #expect(words.contains("The changes of the first 1 of 4 statements remain"))
        }
    }

    /// A violation that existed before is not the migration's.
    @Test func earlierViolationsOfForeignKeysAreCounted() throws {
        try withTemporaryFolder { folder in
            let path = folder.appendingPathComponent("app.sqlite").path
            var configuration = Configuration()
            configuration.foreignKeysEnabled = false
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            try queue.write { db in
                try db.execute(
                    sql: """
                        CREATE TABLE shop (id INTEGER PRIMARY KEY);
                        CREATE TABLE purchase (id INTEGER PRIMARY KEY, shop REFERENCES shop);
                        INSERT INTO shop VALUES (1), (2);
                        INSERT INTO purchase (shop) VALUES (1), (2), (2), (9);
                        """
                )
            }
            try queue.close()
            let outcome = try rehearse("DELETE FROM shop WHERE id = 2;", in: folder)
            #expect(outcome.status == 0)
            let words = outcome.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            #expect(words.contains("3 rows of purchase (before: 1) violate foreign keys"))
        }
    }

    @Test func longStatementsAreDividedAndTheProgramHasTheSameEffect() throws {
        try withDatabase(isWAL: true) { folder in
            let sql = "UPDATE mail SET subject = subject || '!' WHERE folder <> 3;"
            let outcome = try rehearse(
                sql,
                [
                    "--max-hold", "1ms", "--skip-interruption", "--format", "json",
                    "--write-batched", "batched.py",
                ],
                in: folder
            )
            // The original holds the lock for longer.
            #expect(outcome.status == 3, "\(outcome.errors)")
            let batched = try #require(try json(outcome)["batched"] as? [String: Any])
            #expect(batched["isEqual"] as? Bool == true, "\(batched)")
            let run = try #require(batched["alone"] as? [String: Any])
            let step = try #require((run["steps"] as? [[String: Any]])?.first)
            #expect((step["batches"] as? Int ?? 0) > 5, "\(step)")
            let python = try #require(ForeignProgram.python)
            let copy = folder.appendingPathComponent("copy.sqlite")
            try FileManager.default.copyItem(
                at: folder.appendingPathComponent("app.sqlite"),
                to: copy
            )
            let process = Process()
            process.executableURL = URL(fileURLWithPath: python)
            process.arguments = ["batched.py", "copy.sqlite"]
            process.currentDirectoryURL = folder
            try process.run()
            process.waitUntilExit()
            #expect(process.terminationStatus == 0)
            let queue = try DatabaseQueue(path: copy.path)
            let changed = try queue.read { db in
                try Int.fetchOne(db, sql: "SELECT count(*) FROM mail WHERE subject LIKE '%!'")
            }
            #expect(changed == Self.rowCount * 19 / 20)
            let tables = try queue.read { db in
                try String.fetchAll(db, sql: "SELECT name FROM sqlite_master WHERE type = 'table'")
            }
            #expect(tables == ["mail"])
            try queue.close()
        }
    }

    @Test func theClientsOfALoadAreMeasuredByPeriod() throws {
        try withDatabase { folder in
            try write(
                """
                version: 1
                name: inbox
                dataset: {file: app.sqlite}
                arms: {pool: {type: pool}}
                phases: [{name: steady, duration: 2s}]
                clients:
                  reader:
                    access: read
                    arrival: {rate: 100/s}
                    sql: SELECT count(*) FROM mail WHERE id < 9
                  writer:
                    access: write
                    arrival: {rate: 50/s}
                    sql: UPDATE mail SET folder = 2 WHERE id = 7
                """,
                to: "load.yaml",
                in: folder
            )
            let outcome = try rehearse(
                "UPDATE mail SET folder = folder + 1;",
                [
                    "--load", "load.yaml", "--margin", "1s", "--format", "json",
                    "--skip-interruption", "--skip-batches",
                ],
                in: folder
            )
            #expect(outcome.status == 0, "\(outcome)")
            let report = try json(outcome)
            #expect(report["journalMode"] as? String == "wal")
            let run = try #require(report["underLoad"] as? [String: Any], "\(outcome)")
            let periods = try #require(run["periods"] as? [[String: Any]])
            #expect(periods.map { $0["name"] as? String } == ["before", "during", "after"])
            for period in [periods[0], periods[2]] {
                let clients = try #require(period["clients"] as? [String: [String: Any]])
                #expect((clients["reader"]?["completed"] as? Int ?? 0) > 10, "\(period)")
                #expect((clients["writer"]?["completed"] as? Int ?? 0) > 5, "\(period)")
            }
        }
    }

    @Test func aMissedLimitIsAFailedTestCase() throws {
        try withDatabase { folder in
            let outcome = try rehearse(
                "CREATE INDEX i ON mail (subject)",
                [
                    "--max-duration", "1us", "--max-read-block", "1h", "--skip-interruption",
                    "--format", "junit",
                ],
                in: folder
            )
            #expect(outcome.status == 3)
            #expect(
                outcome.output.contains(#"name="max-duration &lt;= 1.00 µs">"#),
                "\(outcome.output)"
            )
            #expect(outcome.output.contains("<failure type=\"limit\""))
            #expect(outcome.output.contains(#"failures="1" errors="0""#))
        }
    }

    @Test(arguments: [SIGINT, SIGTERM]) func aSignalRemovesTheCopies(signal: Int32) throws {
        try withDatabase { folder in
            let endless = "SELECT count(*) FROM mail a, mail b, mail c, mail d"
            let outcome = try rehearse(
                endless,
                ["--progress", "always"],
                in: folder,
                sending: (signal, "executing the migration alone")
            )
            #expect(outcome.status == 128 + signal)
            #expect(outcome.errors.contains("the original is unchanged"), "\(outcome.errors)")
        }
    }

    @Test func aDatabaseInUseIsCopiedWithoutItsOpenTransaction() throws {
        try withTemporaryFolder { folder in
            try makeDatabase(in: folder, isWAL: true)
            let path = folder.appendingPathComponent("app.sqlite").path
            let program = try ForeignProgram(path)
            try program.run(
                """
                c = connect(path)
                c.execute("UPDATE mail SET folder = 100 WHERE id = 1")
                c.execute("BEGIN IMMEDIATE")
                c.execute("UPDATE mail SET folder = 200 WHERE id = 1")
                """
            )
            let log = folder.appendingPathComponent("app.sqlite-wal")
            let before = try Data(contentsOf: log)
            let outcome = try rehearse(
                "DELETE FROM mail WHERE folder = 100",
                ["--format", "json", "--skip-interruption"],
                in: folder
            )
            let alone = try #require(try json(outcome)["alone"] as? [String: Any])
            let steps = try #require(alone["steps"] as? [[String: Any]])
            #expect(steps[0]["changes"] as? Int == 1)
            #expect(try Data(contentsOf: log) == before)
            try program.run("c.execute('COMMIT')")
        }
    }

    @Test func invalidArgumentsAreExplained() throws {
        try withDatabase { folder in
            for (arguments, message) in [
                (["--load", "ycsb-c"], "preset"),
                (["--load", "missing.yaml"], "missing.yaml"),
                (["--arm", "pool"], "--arm requires --load"),
                (["--copies", "missing"], "specify another folder"),
                (["--write-batched", "app.sqlite"], "are the same file"),
            ] {
                let outcome = try rehearse("SELECT 1", arguments, in: folder)
                #expect(outcome.status != 0)
                #expect(outcome.errors.contains(message), "\(arguments): \(outcome.errors)")
            }
        }
    }

    @Test func hostileStatementsArePrintable() throws {
        try withDatabase { folder in
            let literals = HostileStrings.withoutNUL.map { text in
                // A quote and a following combining character form one `Character`.
                var literal = String.UnicodeScalarView("'".unicodeScalars)
                for scalar in text.unicodeScalars {
                    if scalar == "'" { literal.append(scalar) }
                    literal.append(scalar)
                }
                literal.append("'")
                return String(literal)
            }
            let outcome = try rehearse(
                literals.map { "SELECT \($0)" }.joined(separator: ";\n"),
                ["--skip-interruption"],
                in: folder
            )
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(HostileStrings.unprintableScalars(in: outcome.output) == [])
        }
    }
}
