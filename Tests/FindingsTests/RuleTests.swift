import Telemetry
import Testing

@testable import Findings

/// The rules, applied to facts that a report may contain.
struct RuleTests {
    private let time = WatchTime(milliseconds: 1_000_000)

    /// Returns the findings of a report of a database in WAL mode that two processes use.
    func findings(_ change: (inout WatchReport) -> Void) -> [Finding] {
        var report = WatchReport(
            time: time,
            window: WatchWindow(
                seconds: 2,
                samples: 200,
                samplesPerSecond: 100,
                listSamples: 20,
                processorShare: 0.01
            ),
            file: WatchedFile(path: "/a.db", state: .present),
            processes: [
                WatchedProcess(pid: 7, name: "web"), WatchedProcess(pid: 8, name: "jobs"),
            ],
            pins: [],
            tables: [],
            episodes: [],
            notes: []
        )
        report.wal = WatchedWAL(bytes: 4_152)
        report.wal?.frames = 1
        report.wal?.commits = 0
        change(&report)
        report.updateFindings()
        #expect(report.verdict == report.findings.first ?? report.verdict)
        return report.findings
    }

    private func lock(_ kind: LockKind, _ seconds: Double, isContinuous: Bool) -> WatchedLock {
        WatchedLock(
            kind: kind,
            since: WatchTime(milliseconds: time.milliseconds - Int64(seconds * 1_000)),
            seconds: seconds,
            isContinuous: isContinuous
        )
    }

    func statement(_ sql: String, calls: UInt64) -> WatchedStatement {
        var statement = WatchedStatement(sql: sql)
        statement.calls = calls
        statement.pids = [7]
        return statement
    }

    func tracing() -> WatchedTracing {
        var tracing = WatchedTracing(level: "light")
        tracing.seconds = 2
        tracing.pids = [7, 8]
        return tracing
    }

    @Test func theLastLineStatesWhatWasNotObserved() {
        var report: WatchReport?
        #expect(
            findings {
                $0.hiddenProcesses = 3
                $0.updateFindings()
                report = $0
            }.isEmpty
        )
        let text = report?.verdict.text ?? ""
        #expect(
            text
                == "Nothing unusual was observed in 2.0 s. Not observed: SQL, and with it statements that "
                + "fail at once (add --sql, as root), the open files of 3 processes."
        )
    }

    // MARK: Files

    @Test func aDeletedLogIsAnAlarmBeforeEverythingElse() {
        var stray = WatchedStrayFile(part: .wal, path: "/a.db-wal (deleted)", isDeleted: true)
        stray.deleted = WatchTime(milliseconds: time.milliseconds - 6_000)
        let found = findings { report in
            report.processes[0].strayFiles = [
                WatchedStrayFile(part: .index, path: "/a.db-shm (deleted)", isDeleted: true), stray,
            ]
            report.processes[1].locks = [lock(.writer, 4, isContinuous: true)]
        }
        #expect(found.map(\.level) == [.alarm, .warning])
        #expect(found[0].text.contains("web (7) uses a -wal file that was deleted 6.0 s ago"))
    }

    @Test(arguments: [(WatchedFile.State.present, "replaced"), (.missing, "deleted")])
    func aDeletedDatabaseIsAnAlarm(_ state: WatchedFile.State, _ event: String) {
        let found = findings { report in
            report.file.state = state
            report.processes[1].strayFiles = [
                WatchedStrayFile(part: .database, path: "/a.db (deleted)", isDeleted: true)
            ]
        }
        #expect(found.contains { $0.kind == .strayFile && $0.text.contains("was \(event)") })
    }

    @Test func anotherNameIsAnAlarm() {
        let found = findings { report in
            report.processes[0].strayFiles = [
                WatchedStrayFile(part: .wal, path: "/b.db-wal", isDeleted: false)
            ]
        }
        #expect(
            found.first?.text.contains("under another name: its -wal file is /b.db-wal") == true
        )
    }

    @Test func writesWithoutAVisibleProcessAreNotALeftover() {
        let found = findings { report in
            report.processes = []
            report.wal?.room = 10
            report.wal?.commits = 80
            report.wal?.commitsPerSecond = 40
        }
        #expect(found.map(\.kind) == [.hiddenUsers])
        #expect(
            findings { report in
                report.processes = []
                report.wal?.room = 10
            }.map(\.kind) == [.leftoverWAL]
        )
    }

    // MARK: Holders

    @Test func onlyAProvenHoldIsCalledContinuous() {
        func text(_ isContinuous: Bool, _ share: Double, isAsleep: Bool? = nil) -> String {
            findings { report in
                report.processes[0].locks = [lock(.writer, 5, isContinuous: isContinuous)]
                report.processes[0].locks[0].isAsleep = isAsleep
                report.processes[0].share.writer.value = 1
                report.processes[0].processorShare = share
            }.first?.text ?? ""
        }
        #expect(text(true, 0, isAsleep: true).contains("for at least 5.0 s"))
        #expect(text(true, 0, isAsleep: true).contains("idle in a transaction"))
        #expect(text(false, 0.001).contains("at each sample for about 5.0 s"))
        #expect(!text(false, 0.001).contains("idle in a transaction"))
        #expect(text(false, 0.99).contains("used 99% of a core"))
    }

    @Test func aBusyHolderAndAnIdleOneHaveDifferentRemedies() {
        func remedy(_ share: Double) -> String? {
            findings { report in
                report.processes[0].locks = [lock(.writer, 5, isContinuous: false)]
                report.processes[0].share.writer.value = 1
                report.processes[0].processorShare = share
            }.first?.remedy
        }
        #expect(remedy(0.9)?.contains("Make the statement faster") == true)
        #expect(remedy(0.001)?.contains("BEGIN without COMMIT") == true)
    }

    @Test func aProcessThatWaitsForItselfIsNamed() {
        let found = findings { report in
            report.processes[0].locks = [lock(.writer, 0.8, isContinuous: true)]
            report.processes[0].share.writer.value = 0.8
            report.processes[0].waiting = WatchedWait(isWaiting: true, share: 0.7)
        }
        #expect(found.map(\.kind) == [.selfWait])
        // With another holder, it is not known for whom the process waits.
        let other = findings { report in
            report.processes[0].share.writer.value = 0.2
            report.processes[0].waiting = WatchedWait(isWaiting: true, share: 0.7)
            report.processes[1].locks = [lock(.writer, 0.8, isContinuous: true)]
            report.processes[1].share.writer.value = 0.8
        }
        #expect(other.map(\.kind) == [.longWriter])
    }

    /// An explanation concerns one process, and another one is still mentioned.
    @Test func anEpisodeOfAnotherProcessIsMentioned() {
        var episode = WatchEpisode(kind: .writer, pid: 7, name: "web", start: time, seconds: 2)
        episode.end = time
        var block = WatchedBlock(time: time, pid: 7, seconds: 0, failed: true)
        block.by = WatchedBlock.Blocker(pid: 8, isInferred: false)
        let found = findings { report in
            report.tracing = tracing()
            report.episodes = [episode]
            report.waits = [WatchedWaits(count: 3, seconds: 0, longest: block)]
        }
        // The blocker, not the process that fails, is responsible.
        #expect(found.map(\.kind) == [.busy, .longWriter])
        #expect(found.map(\.pid) == [8, 7])
    }

    // MARK: Statements

    /// The finding of a hold that has ended names what the transaction did.
    @Test(arguments: [true, false])
    func anEndedHoldNamesItsStatement(isIdle: Bool) throws {
        let found = findings { report in
            var episode = WatchEpisode(
                kind: .writer,
                pid: 8,
                name: "jobs",
                start: time,
                seconds: 2
            )
            episode.end = time
            report.episodes = [episode]
            report.tracing = tracing()
            var transaction = WatchedTransaction(pid: 8, connection: "1")
            transaction.writes = true
            transaction.seconds = 2
            transaction.longestGapSeconds = isIdle ? 1.5 : 0.01
            transaction.gapAfter = "UPDATE price SET stock = ?"
            transaction.statements = 20
            transaction.sql = "INSERT INTO attachment SELECT ?"
            // An earlier transaction was longer than the hold.
            var earlier = transaction
            earlier.seconds = 30
            earlier.sql = "DELETE FROM attachment"
            report.transactions = [earlier, transaction]
        }
        let finding = try #require(found.first { $0.kind == .longWriter })
        let expected =
            isIdle
            ? "Its write transaction (2.0 s) executed no statement for 1.5 s after "
                + "`UPDATE price SET stock = ?`."
            : "Its write transaction (2.0 s) executed 20 statements, the last "
                + "`INSERT INTO attachment SELECT ?`."
        #expect(finding.text.hasSuffix(expected), "\(finding.text)")
    }

    @Test(arguments: [(UInt64(8), true), (8_000, false)])
    func commitsThatFilledTheLogAreNamed(commits: UInt64, isLarge: Bool) throws {
        let found = findings { report in
            report.wal?.commits = commits
            report.wal?.framesWritten = 20_000
            report.wal?.pageSize = 4_096
            report.processes[1].share.writer.value = 0.6
            report.processes[0].share.writer.value = 0.1
        }
        let finding = found.first { $0.kind == .largeTransaction }
        #expect((finding != nil) == isLarge)
        #expect(finding?.pid ?? 8 == 8)
        #expect(finding?.text.contains("8 commits wrote 20,000 frames (78.6 MiB)") ?? true)
    }

    @Test func upgradesAreOneFinding() {
        let found = findings { report in
            report.tracing = tracing()
            report.statements = ["a", "b", "c"].map { table in
                var statement = statement("UPDATE \(table) SET x = ?", calls: 10)
                statement.busy = 6
                statement.upgrades = 6
                statement.upgradeAfter = "SELECT x FROM \(table)"
                return statement
            }
        }
        #expect(found.count == 1)
        #expect(found.first?.text.hasPrefix("18 of 30 executions of `UPDATE") == true)
        #expect(found.first?.remedy?.contains("BEGIN IMMEDIATE") == true)
    }

    @Test func aTimeoutIsComparedWithTheHold() {
        var block = WatchedBlock(time: time, pid: 8, seconds: 0.25, failed: true)
        block.sql = "INSERT INTO t VALUES (?)"
        block.by = WatchedBlock.Blocker(pid: 7, isInferred: false)
        block.by?.transactionSeconds = 1.5
        block.by?.longestGapSeconds = 1.4
        block.by?.gapAfter = "SELECT x FROM t"
        block.by?.gapBefore = "UPDATE t SET x = ?"
        let found = findings { report in
            report.tracing = tracing()
            report.waits = [WatchedWaits(count: 4, seconds: 1, longest: block)]
            report.processes[0].locks = [lock(.writer, 1.2, isContinuous: true)]
        }
        // The lock of the same process is the same cause.
        #expect(found.map(\.kind) == [.busy])
        let text = found.first?.text ?? ""
        #expect(text.contains("4 executions (`INSERT INTO t VALUES (?)`) in jobs (8)"))
        #expect(text.contains("after waiting about 250 ms for web (7)"))
        #expect(text.contains("open for 1.5 s and executed no statement for 1.4 s between"))
    }

    @Test(
        arguments: [
            ("SQLITE_LOCKED_SHAREDCACHE", Finding.Level.warning), ("SQLITE_FULL", .warning),
            ("SQLITE_CORRUPT", .alarm), ("SQLITE_CONSTRAINT_UNIQUE", .note),
        ]
    )
    func eachFailureHasALevel(_ code: String, _ level: Finding.Level) {
        let found = findings { report in
            report.tracing = tracing()
            var insert = statement("INSERT INTO t VALUES (?)", calls: 40)
            insert.failures = [WatchedFailure(code: code, count: 10)]
            report.statements = [insert]
        }
        #expect(found.map(\.level) == [level])
        #expect(found.first?.text.contains("10 of 40 executions (25%)") == true)
        #expect(found.first?.text.contains(code) == true)
    }

    @Test func oneQueryForEachRowIsNamed() {
        let found = findings { report in
            report.tracing = tracing()
            var read = statement("SELECT name FROM author WHERE id = ?", calls: 500)
            read.repeated = WatchedRepetition(after: "SELECT id FROM post", runs: 20, calls: 500)
            report.statements = [read]
        }
        #expect(found.map(\.kind) == [.repeated])
        #expect(found.first?.text.hasPrefix("25 × `SELECT name") == true)
    }

    @Test func aTraceCorrectsTheAgeOfALock() {
        var transaction = WatchedTransaction(pid: 7, connection: "1")
        transaction.writes = true
        transaction.seconds = 0.3
        var episode = WatchEpisode(kind: .writer, pid: 7, name: "web", start: time, seconds: 5)
        episode.isContinuous = false
        var report: WatchReport?
        _ = findings {
            $0.tracing = tracing()
            $0.transactions = [transaction]
            $0.processes[0].locks = [lock(.writer, 5, isContinuous: false)]
            $0.episodes = [episode]
            $0.reconcileLocks()
            report = $0
        }
        #expect(report?.processes[0].locks[0].seconds == 0.3)
        #expect(report?.episodes.isEmpty == true)
    }

    @Test func aConnectionThatUsesItsDatabaseAloneIsANote() throws {
        let alone = findings { report in
            report.processes.removeLast()
            report.processes[0].locks = [lock(.exclusive, 5, isContinuous: false)]
        }
        #expect(alone.map(\.level) == [.note] && alone.first?.kind == .exclusive)
        let shared = findings { report in
            report.processes[0].locks = [lock(.exclusive, 5, isContinuous: false)]
        }
        #expect(shared.first?.level == .warning)
        // With a rollback journal, the lock may belong to a transaction.
        for hasJournal in [true, false] {
            let found = findings { report in
                report.processes.removeLast()
                report.wal = nil
                report.rollback = WatchedRollback(
                    transactions: nil,
                    transactionsPerSecond: nil,
                    journalBytes: 512,
                    isHot: false
                )
                report.rollback?.hasValidJournal = hasJournal
                report.processes[0].locks = [lock(.exclusive, 5, isContinuous: false)]
            }
            #expect(found.map(\.level) == [hasJournal ? .warning : .note])
        }
    }

    @Test(arguments: [
        (
            ["CO-ROUTINE n", "SETUP", "SCAN CONSTANT ROW", "RECURSIVE STEP", "SCAN n", "SCAN n"],
            nil
        ),
        (["MATERIALIZE n", "SCAN item", "SCAN n"], "reads a whole table or index (`SCAN item`)"),
        (
            ["SEARCH item USING INDEX i (a=?)", "USE TEMP B-TREE FOR ORDER BY"],
            "sorts (`USE TEMP B-TREE FOR ORDER BY`)"
        ),
    ])
    func rowsThatAStatementComputesAreNoScan(plan: [String], cause: String?) {
        #expect(StatementRules.causes(of: plan) == cause)
    }

    @Test func aSlowStatementsRemedyNamesTheIndex() throws {
        let found = findings { report in
            var statement = statement("SELECT * FROM item WHERE name = ?", calls: 100)
            statement.steps = 200_000
            statement.plan = ["SCAN item"]
            statement.proposedIndex = "item (name)"
            report.statements = [statement]
            report.tracing = tracing()
        }
        let finding = try #require(found.first { $0.kind == .slowStatement })
        #expect(finding.text.contains("reads a whole table") && !finding.text.contains("sorts"))
        #expect(finding.remedy?.contains("item (name)") == true)
    }

    /// Traced transactions are short, so no lock is old, but the lock is nearly always held.
    @Test func aLockThatIsHeldAgainAndAgainIsAFinding() throws {
        let found = findings { report in
            report.processes[0].share.writer = WatchedEstimate(value: 0.98, error: 0.01)
            report.processes[0].locks = [lock(.writer, 0.1, isContinuous: true)]
            var transaction = WatchedTransaction(pid: 7, connection: "1")
            transaction.writes = true
            transaction.seconds = 0.304
            transaction.longestGapSeconds = 0.303
            transaction.gapAfter = "INSERT INTO t VALUES (?)"
            report.transactions = [transaction]
            report.tracing = tracing()
        }
        let finding = try #require(found.first)
        #expect(finding.kind == .longWriter && finding.level == .warning)
        #expect(finding.text.contains("98% of the time, in transactions of up to 304 ms"))
        #expect(finding.text.contains("for up to 303 ms after `INSERT INTO t"))
    }

    @Test func aStatementThatBeganBeforeTheTraceIsNotKnown() throws {
        func text(_ current: [WatchedCurrentStatement]) -> String {
            findings { report in
                report.processes[0].processorShare = 0.9
                report.processes[0].locks = [lock(.writer, 5, isContinuous: false)]
                report.processes[0].share.writer = WatchedEstimate(value: 1, error: 0.01)
                report.tracing = tracing()
                report.current = current
            }.first?.text ?? ""
        }
        #expect(text([]).contains("what it executes is not known"))
        let other = WatchedCurrentStatement(pid: 7, sql: "x", isRunning: false, seconds: 1)
        #expect(!text([other]).contains("not known"))
    }
}
