#if os(Linux)
import Findings
import Foundation
import TestSupport
import Testing

@testable import poolgauge

@Suite(.serialized, .timeLimit(.minutes(2)))
struct CheckCommandTests {
    /// Runs a check of a Python program.
    private func check(
        _ program: String,
        _ options: [String] = [],
        in folder: URL
    ) throws -> HeadlessProgram.Outcome {
        try HeadlessProgram.run(
            ["check"] + options + ["--", "python3", "-c", "import sqlite3, sys\n" + program],
            in: folder
        )
    }

    private static let upgrade = """
        c = sqlite3.connect("app.db", isolation_level=None)
        c.execute("CREATE TABLE IF NOT EXISTS t(a)")
        c.execute("BEGIN")
        c.execute("SELECT a FROM t").fetchall()
        c.execute("INSERT INTO t VALUES('secret')")
        c.execute("COMMIT")
        print("done")

        """

    private func report(_ text: String) throws -> CheckReport {
        try JSONDecoder().decode(CheckReport.self, from: Data(text.utf8))
    }

    @Test func findsAFaultAndKeepsTheOutputOfTheCommand() throws {
        try withTemporaryFolder { folder in
            let found = try check(Self.upgrade, ["--junit", "out.xml", "--github"], in: folder)
            #expect(found.status == 3)
            #expect(found.output == "done\n")
            #expect(
                found.errors.contains("▲ upgrade (warning), 1 time\n    INSERT INTO t VALUES (?)")
            )
            #expect(found.errors.contains("::warning title=poolgauge%3A upgrade%2C 1 time::INSERT"))
            #expect(!found.errors.contains("secret"))
            #expect(
                found.errors.split(separator: "\n").allSatisfy {
                    $0.count <= 100 || $0.hasPrefix("::")
                }
            )
            let junit = try String(
                contentsOf: folder.appendingPathComponent("out.xml"),
                encoding: .utf8
            )
            #expect(junit.contains("tests=\"15\" failures=\"1\""))
        }
    }

    @Test func theStatusOfTheCommandComesFirst() throws {
        try withTemporaryFolder { folder in
            let failed = try check(Self.upgrade + "sys.exit(7)", ["--json"], in: folder)
            #expect(failed.status == 7)
            let report = try report(failed.errors)
            #expect(report.findings.map(\.rule) == [.upgrade])
            #expect(report.findings.first?.pid != nil)
            #expect(report.findings.first?.file?.hasSuffix("/app.db") == true)
            #expect(report.commandStatus == 7 && report.programs == 1 && report.databases == 1)
            let killed = try check("import os; os.kill(os.getpid(), 9)", in: folder)
            #expect(killed.status == 137)
            #expect(killed.errors.contains("Nothing was checked: no statement was seen."))
            let quiet = try check("sqlite3.connect(':memory:').execute('SELECT 1')", in: folder)
            #expect(quiet.status == 0)
            #expect(quiet.errors.contains("no findings in 1 execution of 1 program"))
            #expect(quiet.errors.contains("leftover-wal, version (no file database was"))
        }
    }

    @Test func aBaselineContainsWhatIsKnown() throws {
        try withTemporaryFolder { folder in
            let options = ["--baseline", "known.json"]
            let first = try check(Self.upgrade, options, in: folder)
            #expect(first.status == 0)
            #expect(first.errors.contains("▲ upgrade"))
            let second = try check(Self.upgrade, options, in: folder)
            #expect(second.status == 0)
            #expect(second.errors.contains("1 known finding in known.json, not listed."))
            let readOnly = """
                c = sqlite3.connect("file:app.db?mode=ro", uri=True)
                try: c.execute("DELETE FROM t")
                except sqlite3.OperationalError: pass

                """
            let third = try check(readOnly, options + ["--json"], in: folder)
            #expect(third.status == 3)
            #expect(try report(third.errors).findings.map(\.isNew) == [true])
            #expect(try report(third.errors).baseline?.missing == 1)
            let updated = try check(readOnly, options + ["--update-baseline"], in: folder)
            #expect(updated.status == 0)
            #expect(try check(readOnly, options, in: folder).status == 0)
            #expect(try check(Self.upgrade, options, in: folder).status == 3)
        }
    }

    @Test func aConfigurationChangesRules() throws {
        try withTemporaryFolder { folder in
            let file = folder.appendingPathComponent("poolgauge.yaml")
            try Data("check: {upgrade: note}".utf8).write(to: file)
            let note = try check(Self.upgrade, in: folder)
            #expect(note.status == 0)
            #expect(note.errors.contains("• upgrade (note)"))
            try Data("check: {upgrade: {allow: [{statement: insert...}]}}".utf8).write(to: file)
            #expect(try check(Self.upgrade, in: folder).status == 3)
            try Data("check: {upgrade: {allow: [{statement: INSERT INTO t …}]}}".utf8).write(
                to: file
            )
            #expect(try check(Self.upgrade, in: folder).status == 0)
            try Data("check:\n  upgrad: note\n".utf8).write(to: file)
            let unknown = try check(Self.upgrade, in: folder)
            #expect(unknown.status == 64)
            #expect(unknown.output.isEmpty)
            #expect(unknown.errors.contains("poolgauge.yaml:2:3: unknown rule 'upgrad'"))
        }
    }

    @Test(arguments: [
        ("checks: {}", "1:1: unknown key 'checks'; did you mean 'check'?"),
        ("check: {scan: {row: 5}}", "1:16: unknown key 'row'; did you mean 'rows'?"),
        ("check: {scan: {rows: 0}}", "1:22: '0' is not a number"),
        ("check: {scan: loud}", "1:15: unknown level 'loud'"),
        ("check: {self-wait: {longest: soon}}", "1:30: "),
        ("check: {scan: {allow: [{}]}}", "1:24: expected 'statement: …'"),
        ("check: {scan: {allow: [{sql: x}]}}", "1:25: unknown key 'sql'"),
        ("check: {upgrade: {rows: 5}}", "1:19: unknown key 'rows'"),
        ("version: 2", "1:10: unknown version"),
    ])
    func errorsHavePositions(yaml: String, message: String) {
        do {
            _ = try CheckConfiguration.decode(yaml: yaml, file: "a.yaml")
            Issue.record("no error for \(yaml)")
        } catch {
            let text = (error as? CommandFailure)?.message ?? "\(error)"
            #expect(text.contains("a.yaml:" + message), "\(text)")
        }
    }

    @Test func readsAllSettings() throws {
        let yaml = """
            version: 1
            check:
              version: off
              scan: {level: error, rows: 1000}
              open-transaction: {gap: 50ms, longest: 2m}
            """
        let settings = try CheckConfiguration.decode(yaml: yaml, file: "a.yaml")
        #expect(settings[level: .version] == .off)
        #expect(settings[level: .scan] == .error)
        #expect(settings[.scan, .rows] == 1_000)
        #expect(settings[.openTransaction, .gap] == 0.05)
        #expect(settings[.openTransaction, .longest] == 120)
        #expect(settings[.sort, .rows] == 500)
        #expect(try CheckConfiguration.decode(yaml: "", file: "a.yaml") == CheckSettings())
    }
}
#endif
