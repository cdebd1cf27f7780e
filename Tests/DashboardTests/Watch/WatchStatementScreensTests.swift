import Findings
import TerminalUI
import Testing

@testable import Dashboard
@testable import SQLiteWatch

/// Tests the screens that show traced statements.
struct WatchStatementScreensTests {
    private static let update = "UPDATE stock SET n = n - ? WHERE id = ?"

    private func dashboard(isTraced: Bool = true, timed: UInt64 = 0) throws -> WatchDashboard {
        var model = WatchDashboard(
            screens: WatchScreens.traced,
            theme: try Theme.named("dark"),
            glyphs: .braille
        )
        for var report in WatchStory().reports(until: 12) {
            guard isTraced else {
                report.notes = ["SQL is not shown: SQL tracing requires root; run with sudo."]
                model.ingest([report])
                continue
            }
            var statement = WatchedStatement(sql: Self.update)
            statement.calls = 1_234
            statement.busy = 7
            statement.waited = 2.1
            statement.pids = [812]
            statement.timed = timed
            var counters = WatchedCounters()
            counters.runs = 100
            counters.fullScanSteps = 123_400
            statement.counters = counters
            statement.plan = ["SEARCH stock USING INTEGER PRIMARY KEY (rowid=?)"]
            report.statements = [statement]
            var transaction = WatchedTransaction(pid: 77, connection: "55aa")
            transaction.name = "cron.py"
            transaction.open = true
            transaction.writes = true
            transaction.seconds = 4.9
            transaction.secondsSinceStatement = 4.8
            transaction.sql = "begin immediate\u{1b}[2J"
            report.transactions = [transaction]
            report.current = [
                WatchedCurrentStatement(
                    pid: report.processes[0].pid,
                    sql: "SELECT late\u{1b}[2J FROM orders",
                    isRunning: true,
                    seconds: 2
                )
            ]
            var block = WatchedBlock(time: report.time, pid: 812, seconds: 4.9, failed: true)
            block.name = "worker.py"
            block.sql = Self.update
            var blocker = WatchedBlock.Blocker(pid: 77, isInferred: false)
            blocker.name = "cron.py"
            blocker.transactionSeconds = 4.9
            blocker.idleSeconds = 4.8
            block.by = blocker
            report.blocked = [block]
            report.tracing = WatchedTracing(level: "light")
            var connection = WatchedConnection(pid: 812, connection: "55cc")
            connection.name = "worker.py"
            connection.library = "/lib/sqlite.so"
            connection.settings.busyTimeoutMilliseconds = 4_321
            connection.settings.foreignKeys = false
            connection.pragmas = [WatchedPragma(name: "foreign_keys", value: "1\u{1b}[2J")]
            connection.pragmas[0].isActive = false
            connection.running = .init(sql: "SELECT slow\u{1b}[2J", seconds: 7)
            report.connections = [connection]
            var copy = WatchedCopy(pid: 812, library: "/lib/sqlite.so")
            copy.version = "3.46.1"
            copy.sourceID = "2024-08-13 c9c2ab54"
            copy.connections = 1
            copy.openFiles = 4
            report.copies = [copy]
            model.ingest([report])
        }
        return model
    }

    private func text(_ model: WatchDashboard, _ width: Int = 140) -> String {
        model.render(size: Size(width: width, height: 40)).plainText
    }

    @Test func lanesShowTheStatementOfTheirProcess() throws {
        let model = try dashboard()
        let process = try #require(model.history?.report?.processes.first)
        let lane = try #require(
            text(model).split(separator: "\n").first { $0.contains("SELECT late") }
        )
        #expect(lane.contains("\(process.pid) ") && lane.contains("SELECT late\\u{1b}[2J FROM"))
        #expect(!text(try dashboard(isTraced: false)).contains("SELECT late"))
    }

    @Test func statementsShowTheirCountsAndPlan() throws {
        var model = try dashboard()
        model.press("7")
        for word in ["UPDATE stock SET", "1234", "2.1", "812"] {
            #expect(text(model).replacing(",", with: "").contains(word), "\(word)")
        }
        _ = model.handle(.key(.down))
        _ = model.handle(.key(.enter))
        #expect(text(model).contains("SEARCH stock USING INTEGER PRIMARY KEY"))
        #expect(text(model).contains("in 100 counted executions: "))
        #expect(text(model).contains("rows scanned per execution"))
    }

    @Test func columnsOfTimesAppearOnlyWhenStatementsAreTimed() throws {
        for timed: UInt64 in [0, 100] {
            var model = try dashboard(timed: timed)
            model.press("7")
            let screen = text(model)
            #expect(screen.contains("p99") == (timed > 0))
            #expect(screen.contains("calls/s"))
        }
    }

    @Test func openTransactionsShowTheirAgeAndNoControlCharacters() throws {
        var model = try dashboard()
        model.press("8")
        for word in ["77 cron.py", "open, writing", "4.9 s", "4.8 s", "begin immediate\\u{1b}[2J"] {
            #expect(text(model).contains(word), "\(word)")
        }
    }

    @Test func waitsShowTheWaiterAndItsBlocker() throws {
        var model = try dashboard()
        model.press("9")
        for word in ["812 worker.py", "77 cron.py", "BUSY", "4.8 s"] {
            #expect(text(model).contains(word), "\(word)")
        }
    }

    @Test func settingsShowEachConnectionAndItsCopy() throws {
        var model = try dashboard()
        model.press("0")
        for word in ["812 worker.py", "4321 ms", "off", "?", "3 idle and not listed"] {
            #expect(text(model).contains(word), "\(word)")
        }
        _ = model.handle(.key(.down))
        _ = model.handle(.key(.enter))
        for word in [
            "foreign_keys: off (PRAGMA foreign_keys = 1\\u{1b}[2J is not in force)",
            "synchronous: unknown", "SQLite: 3.46.1", "2024-08-13 c9c2ab54",
            "running for 7.0 s: SELECT slow\\u{1b}[2J",
        ] {
            #expect(text(model).contains(word), "\(word)")
        }
    }

    @Test(arguments: [(120, 40), (80, 24), (60, 16)])
    func showsTheSettings(size: (Int, Int)) throws {
        var model = try dashboard()
        model.press("0")
        let extent = Size(width: size.0, height: size.1)
        _ = model.handle(.resize(extent))
        try Golden.expect(
            model.render(size: extent),
            named: "watch-settings-\(size.0)x\(size.1)",
            styles: size.0 == 120
        )
    }

    @Test func withoutATraceTheScreensShowTheReason() throws {
        var model = try dashboard(isTraced: false)
        for key in ["7", "8", "9", "0"] {
            model.press(key)
            #expect(text(model).contains("tracing requires root"))
        }
    }

    @Test func theScreensFitInAnySize() throws {
        var model = try dashboard()
        for key in ["7", "8", "9", "0"] {
            model.press(key)
            for width in stride(from: 1, through: 200, by: 13) {
                for height in stride(from: 1, through: 60, by: 7) {
                    let size = Size(width: width, height: height)
                    _ = model.handle(.resize(size))
                    #expect(model.render(size: size).size == size)
                }
            }
        }
    }
}
