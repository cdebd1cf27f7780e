import TestSupport
import Testing

@testable import Findings

struct CheckReportTests {
    /// Names and statements of programs contain any characters.
    @Test func hostileTextIsEscapedAndWrapped() {
        var observation = CheckObservation(
            .failed,
            "SELECT '\u{1b}[31m\u{202e}\n::error::x' " + String(repeating: "x", count: 300)
        )
        observation.related = "SQLITE_BUSY"
        observation.program = "a\u{7}b"
        observation.process = 7
        observation.file = "/tmp/\u{9b}/" + String(repeating: "y", count: 250)
        var report = CheckReport(
            command: ["x"],
            commandStatus: 0,
            seconds: 1,
            findings: [CheckFinding(observation, level: .error)],
            settings: CheckSettings()
        ) { _ in nil }
        report.executions = 1
        report.notes = ["\u{1b}c"]
        report.decide()
        #expect(report.status == 3)
        let lines = report.text.split(separator: "\n")
        #expect(lines.allSatisfy { $0.count <= 100 })
        let scalars = (report.text + report.annotations).unicodeScalars
        #expect(
            scalars.allSatisfy {
                $0 == "\n" || $0.value >= 0x20 && $0.value < 0x7f || $0.value > 0x9f
            }
        )
        #expect(!scalars.contains("\u{202e}"))
        // One finding is one command.
        #expect(report.annotations.split(separator: "\n").count == 1)
    }

    @Test func exceptionsMatchStartsAndFileNames() {
        var settings = CheckSettings()
        settings.allowances[.scan] = [.init(statement: "SELECT a…", file: "cache.*")]
        func allows(_ statement: String?, _ file: String?) -> Bool {
            settings.allows(.scan, statement: statement, file: file)
        }
        #expect(allows("SELECT a FROM t", "/tmp/x/cache.db"))
        #expect(!allows("SELECT b FROM t", "/tmp/x/cache.db"))
        #expect(!allows("SELECT a FROM t", "/tmp/cache.d/x"))
        #expect(!allows(nil, "/tmp/x/cache.db"))
        #expect(!settings.allows(.sort, statement: "SELECT a", file: "cache.db"))
        settings.allowances[.scan] = [.init(file: "/tmp/*/a*b.db")]
        #expect(allows(nil, "/tmp/x/y/aab.db"))
        #expect(!allows("SELECT a", "/tmp/aab.db"))
    }

    @Test func aBaselineIgnoresFoldersOfTests() {
        func finding(_ rule: CheckRule, _ statement: String?, _ file: String) -> CheckFinding {
            var observation = CheckObservation(rule, statement)
            observation.file = file
            observation.program = "p"
            return CheckFinding(observation, level: .warning)
        }
        let baseline = CheckBaseline([
            finding(.leftoverWAL, nil, "/tmp/1/a.db"), finding(.scan, "SELECT 1", "/tmp/1/a.db"),
            finding(.foreignKeys, "INSERT 1", "/tmp/1/a.db"), finding(.sort, "SELECT 1", "/a"),
        ])
        var later = [
            finding(.leftoverWAL, nil, "/tmp/2/a.db"), finding(.leftoverWAL, nil, "/tmp/2/b.db"),
            finding(.scan, "SELECT 1", "/tmp/2/b.db"), finding(.scan, "SELECT 2", "/tmp/2/b.db"),
            finding(.foreignKeys, "INSERT 2", "/tmp/2/a.db"),
        ]
        #expect(baseline.mark(&later) == 1)
        #expect(later.map(\.isNew) == [false, true, false, true, false])
    }
}
