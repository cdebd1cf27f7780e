import Testing

@testable import Findings

/// The rules about the settings of connections, copies of SQLite, and counters of statements.
extension RuleTests {
    /// Returns a connection of `web` with usual settings.
    private func connection(
        _ number: Int,
        pid: Int32 = 7,
        _ change: (inout WatchedConnection) -> Void = { _ in }
    ) -> WatchedConnection {
        var connection = WatchedConnection(pid: pid, connection: String(number))
        connection.name = pid == 7 ? "web" : "jobs"
        connection.library = "/lib/sqlite.so"
        connection.settings.busyTimeoutMilliseconds = 5_000
        connection.settings.hasOwnBusyHandler = false
        connection.settings.synchronous = .full
        connection.settings.journalMode = .wal
        connection.settings.cacheSize = -2_000
        connection.settings.foreignKeys = true
        connection.settings.isReadOnly = false
        connection.settings.isQueryOnly = false
        connection.hasWritten = true
        change(&connection)
        return connection
    }

    private func copy(pid: Int32 = 7, _ version: String? = "3.51.3") -> WatchedCopy {
        var copy = WatchedCopy(pid: pid, library: "/lib/sqlite.so")
        copy.version = version
        return copy
    }

    @Test func aPragmaThatIsNotInForceIsAWarning() {
        let found = findings { report in
            report.connections = [
                connection(1) { connection in
                    connection.settings.foreignKeys = false
                    connection.pragmas = [WatchedPragma(name: "foreign_keys", value: "on")]
                    connection.pragmas[0].isActive = false
                }
            ]
        }
        #expect(found.map(\.kind) == [.inactivePragma])
        #expect(found.first?.level == .warning && found.first?.pid == 7)
        #expect(found.first?.text.contains("PRAGMA foreign_keys = on was executed") == true)
        #expect(found.first?.text.hasSuffix("not in force: foreign_keys is off.") == true)
        #expect(found.first?.remedy?.contains("inside a transaction") == true)
    }

    @Test func connectionsOfOneProgramThatDifferAreNamed() {
        let found = findings { report in
            report.connections = [
                connection(1), connection(2),
                connection(3) {
                    $0.settings.busyTimeoutMilliseconds = 100
                    $0.pragmas = [WatchedPragma(name: "busy_timeout", value: "100")]
                    $0.pragmas[0].isActive = true
                },
            ]
        }
        #expect(found.map(\.kind) == [.settings])
        #expect(
            found.first?.text
                == "The connections of web differ: busy_timeout is 5000 ms (2 connections) or "
                + "100 ms (1 connection, by PRAGMA)."
        )
    }

    @Test func aReaderMayHaveOtherSettingsAndUnknownOnesDoNotDiffer() {
        let found = findings { report in
            report.connections = [
                connection(1),
                connection(2) {
                    $0.settings.isReadOnly = true
                    $0.settings.cacheSize = -9_000
                    $0.settings.synchronous = .normal
                },
                connection(3) { $0.settings = ConnectionSettings() },
                connection(4, pid: 8) { $0.settings.synchronous = .normal },
            ]
        }
        #expect(found.isEmpty)
    }

    @Test(arguments: [0, 5_000])
    func aMissingTimeoutMattersIfSeveralProcessesUseTheDatabase(_ time: Int) {
        func found(_ processes: Int) -> [Finding] {
            findings { report in
                report.file.journalMode = .wal
                report.processes.removeLast(2 - processes)
                report.connections = [
                    connection(1) { $0.settings.busyTimeoutMilliseconds = time },
                    connection(2, pid: 8) {
                        $0.settings.busyTimeoutMilliseconds = 0
                        $0.hasWritten = false
                    },
                ]
            }
        }
        #expect(found(2).map(\.kind) == (time == 0 ? [.noTimeout] : []))
        #expect(found(1).isEmpty)
    }

    @Test func cachesThatUseAQuarterOfTheMemoryAreAWarning() {
        func found(_ kibibytes: Int, isShared: Bool = false) -> [Finding] {
            findings { report in
                report.file.pageSize = 4_096
                report.copies = [copy()]
                report.copies?[0].memoryBytes = 1 << 30
                report.connections = (1...3).map { number in
                    connection(number) {
                        $0.settings.cacheSize = -kibibytes
                        $0.settings.sharesCache = isShared
                    }
                }
            }
        }
        #expect(found(80 << 10).isEmpty)
        #expect(found(100 << 10, isShared: true).isEmpty)
        #expect(found(100 << 10).map(\.kind) == [.cacheMemory])
        #expect(found(100 << 10).first?.text.contains("300 MiB in all, of 1.0 GiB") == true)
    }

    @Test func twoCopiesInOneProcessAreAnAlarm() {
        let found = findings { report in
            report.copies = [copy(), copy(), copy(pid: 8)]
            report.copies?[1].library = "/app/node"
        }
        #expect(found.map(\.kind) == [.twoCopies])
        #expect(found.first?.level == .alarm)
        #expect(found.first?.text.contains("/app/node and /lib/sqlite.so") == true)
    }

    @Test(arguments: [
        ("3.6.23", false), ("3.7.0", true), ("3.40.1", true), ("3.44.5", true), ("3.44.6", false),
        ("3.45.0", true), ("3.50.6", true), ("3.50.7", false), ("3.51.2", true),
        ("3.51.3", false), ("3.52.0", false), ("4.0.0", false), ("3.x", false),
    ])
    func aVersionWithTheResetBugIsMentioned(_ version: String, _ hasBug: Bool) {
        func found(writers: Int) -> [Finding] {
            findings { report in
                report.file.journalMode = .wal
                report.copies = [copy(version)]
                report.connections = [1, 2].map { number in
                    connection(number) { $0.hasWritten = number <= writers }
                }
            }
        }
        #expect(found(writers: 2).map(\.kind) == (hasBug ? [.resetBug] : []))
        #expect(found(writers: 1).isEmpty)
    }

    // MARK: Counters

    private func findings(_ change: (inout WatchedCounters) -> Void) -> [Finding] {
        findings { report in
            report.tracing = tracing()
            var counters = WatchedCounters()
            counters.runs = 400
            change(&counters)
            var read = statement("SELECT * FROM item WHERE name = ?", calls: 400)
            read.counters = counters
            report.statements = [read]
        }
    }

    @Test func aScanOfManyRowsPerRunIsMentioned() {
        #expect(findings { $0.fullScanSteps = 400 * 1_000 }.isEmpty)
        let found = findings { $0.fullScanSteps = 400 * 1_500 }
        #expect(found.map(\.kind) == [.fullScan])
        #expect(found.first?.text.contains("passes 1,500 rows of a whole table per run") == true)
    }

    @Test func anIndexForEachRunIsMentioned() {
        #expect(findings { $0.automaticIndexRows = 400 }.isEmpty)
        #expect(findings { $0.automaticIndexRows = 400 * 300 }.map(\.kind) == [.automaticIndex])
    }

    @Test func aStatementThatIsPreparedForEachRunIsMentioned() {
        #expect(findings { $0.preparations = 200 }.isEmpty)
        let found = findings { $0.preparations = 400 }
        #expect(found.map(\.kind) == [.prepared])
        #expect(found.first?.text.contains("is prepared for each run, 200/s") == true)
        let again = findings { $0.repreparations = 300 }
        #expect(again.map(\.kind) == [.prepared])
        #expect(again.first?.text.contains("again in 300 of 400 executions") == true)
    }

    // MARK: Words

    @Test(arguments: [
        (ConnectionSetting.busyTimeout, "5000", "5000 ms"), (.busyTimeout, "-1", "none"),
        (.synchronous, "NORMAL", "normal"), (.synchronous, "2", "full"),
        (.synchronous, "on", "normal"), (.journalMode, "WAL", "wal"),
        (.cacheSize, "-2000", "2000 KiB"), (.cacheSize, "500", "500 pages"),
        (.mmapSize, "0", "off"), (.autocheckpoint, "0", "off"), (.foreignKeys, "ON", "on"),
        (.foreignKeys, "0", "off"), (.lockingMode, "Exclusive", "exclusive"),
        (.queryOnly, "yes", "on"),
    ])
    func aPragmaHasTheWordsOfItsSetting(
        _ setting: ConnectionSetting,
        _ value: String,
        _ words: String
    ) {
        #expect(setting.words(forPragma: value) == words)
    }

    @Test(arguments: [
        (ConnectionSetting.synchronous, "9"), (.mmapSize, "-1"), (.cacheSize, "0"),
        (.journalMode, "other"), (.foreignKeys, "maybe"),
    ])
    func aPragmaWhoseEffectIsUnknownHasNoWords(_ setting: ConnectionSetting, _ value: String) {
        #expect(setting.words(forPragma: value) == nil)
    }
}
