import Capture
import Dashboard
import SQLText
import SQLiteWatch
import Scenarios
import TerminalUI
import Text
import Yams

@testable import SQLTrace

extension FuzzTarget {
    private static let yaml = [
        ": ", "- ", "&a ", "*a", "!!binary ", "!!float ", "|\n", ">-\n", "? ", "---\n", "...\n",
        "%YAML 1.1\n", "<<: ", "\t", "'", "\"", "\\x1b", "\\U0010FFFF", "null", "~", ".inf", ".nan",
        "0x7fffffffffffffff", "1e400", "-1", "[", "]", "{", "}", "18446744073709551616",
    ]

    static let scenario = FuzzTarget(
        name: "scenario",
        maximumLength: 8_192,
        seeds: Corpus.files(in: "scenarios"),
        words: yaml + [
            "arms:", "clients:", "dataset:", "phases:", "thresholds:", "invariants:", "variables:",
            "seed:", "name:", "kind: pool", "kind: queue", "rate:", "workers:", "hold:", "think:",
            "every:", "zipf", "uniform", "1s", "99999999999h", "99999999999m", "99999999999ms",
            "0ns", "1e30/s", "100%", "ramp",
            "import:", "snapshot:", "interrupt:", "async", "process", "preset", "pgbench", "ycsb",
            ":value", "SELECT", "INSERT INTO", "p99", "< 10ms", "pool:",
        ]
    ) { bytes in
        try expectMessage(with: "input.yaml") {
            let scenario = try Scenario.parse(yaml: text(bytes), file: "input.yaml")
            _ = scenario.arms.count
        }
    }

    static let theme = FuzzTarget(
        name: "theme",
        seeds: Corpus.files(in: "themes"),
        words: yaml + [
            "#ffffff", "#fff", "palette:", "roles:", "gradients:", "start:", "mid:", "end:",
            "color:", "bold: true", "brightBlack", "default", "description:", "version: 1",
        ]
    ) { bytes in
        try expectMessage(with: "input.yaml") {
            let theme = try Theme.parse(yaml: text(bytes), file: "input.yaml")
            _ = DashboardModel(theme: theme).render(size: Size(width: 80, height: 24))
        }
    }

    static let configuration = FuzzTarget(
        name: "configuration",
        seeds: [
            """
            version: 1
            theme: dark
            glyphs: ascii
            refresh: 2.5
            mouse: false
            keys:
              quit: [x, ^C]
              help: F1
            """,
            "keys: {quit: Space}\nrefresh: 60",
        ].map { Array($0.utf8) },
        words: yaml + DashboardCommand.allCases.map(\.rawValue) + [
            "keys:", "glyphs: braille", "refresh:", "theme:", "^C", "^", "F12", "F0", "F", "PgUp",
            "Space", "<lt>",
        ]
    ) { bytes in
        try expectMessage(with: "input.yaml") {
            let settings = try SettingsDecoder.decode(yaml: text(bytes), file: "input.yaml")
            let keys = try DashboardKeys(changing: settings.keys)
            _ = DashboardModel(keys: keys).render(size: Size(width: 80, height: 24))
        }
    }

    static let statements = FuzzTarget(
        name: "statements",
        maximumLength: 16_384,
        seeds: [
            "SELECT a, count(*) FROM \"t\" WHERE b IN (1, 2, 3) AND c = 'x''y' -- end",
            "INSERT INTO t(a, b) VALUES (?1, :b), (x'00ff', 1.5e3) ON CONFLICT DO NOTHING",
            "ATTACH 'file:x?key=secret' AS y KEY 'z'; PRAGMA key = 'secret'",
            "WITH c AS (SELECT [x] FROM `y` LIMIT $1) UPDATE t SET a = @b WHERE rowid BETWEEN ? AND ?",
            "BEGIN IMMEDIATE; /* c */ SAVEPOINT s; ROLLBACK TO s; RELEASE s; COMMIT",
        ].map { Array($0.utf8) },
        words: [
            "SELECT ", "FROM ", "WHERE ", "IN (", "VALUES (", ", ", ")", "'", "\"", "`", "[", "]",
            "/*", "*/", "--", "x'", "?1", ":a", "@a", "$a", ";", "PRAGMA key=", "ATTACH ", "KEY ",
            "VACUUM INTO ", "INSERT INTO ", "DISTINCT FROM ", "AS ", "BETWEEN ", "AND ", "LIMIT ",
            "SAVEPOINT ", "ROLLBACK TO ", "COMMIT", "0x", "1e", "||",
        ]
    ) { bytes in
        let sql = text(bytes)
        let shown = StatementText.normalized(sql, identifiers: ["a"])
        guard shown.count <= 4_096 else { throw WrongResult("the text is not shortened") }
        _ = SecretKeys.redacted(sql)
        _ = SecretKeys.contains(sql)
        _ = SQLStatements.autocommit(after: sql, from: true)
        _ = MaskedSQL.text(sql)
        _ = Escaping.terminal(sql)
        CaptureFuzz.parse(sql)
    }
}
