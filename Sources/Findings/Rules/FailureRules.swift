import Text

/// The rules about statements that fail.
enum FailureRules {
    /// Why a failed upgrade of a transaction is not a wait.
    static let timeoutCannotHelp =
        "A busy timeout cannot help: SQLite does not wait, because what the transaction has read is "
        + "no longer current."

    static let upgradeRemedy =
        "Start transactions that write with BEGIN IMMEDIATE (in many libraries a setting of the "
        + "connection or transaction), or read outside the transaction."
    static let timeoutRemedy =
        "Set PRAGMA busy_timeout on each connection, longer than the longest write transaction; "
        + "reset or finalize reads before writing."

    /// Statements that fail at once because their transaction read before it wrote.
    ///
    /// This is one finding, whatever the number of statements.
    static func upgrades(_ facts: FindingFacts) -> [Finding] {
        let failing = (facts.report.statements ?? []).filter { $0.upgrades ?? 0 > 0 }
            .sorted { ($0.upgrades ?? 0, $0.calls, $1.sql) > ($1.upgrades ?? 0, $1.calls, $0.sql) }
        guard let first = failing.first else { return [] }
        let count = failing.reduce(0) { $0 + ($1.upgrades ?? 0) }
        let calls = failing.reduce(0) { $0 + $1.calls }
        let others =
            failing.count > 1
            ? " and \(HumanUnits.exact(UInt64(failing.count - 1), "other statement"))" : ""
        let read = first.upgradeAfter.map { ", first with \(FindingFacts.quoted($0))," } ?? ""
        let pids = Set(failing.flatMap(\.pids))
        return [
            Finding(
                .upgrade,
                pid: pids.count == 1 ? pids.first : nil,
                "\(FindingFacts.share(count, of: calls)) of \(FindingFacts.quoted(first.sql))"
                    + "\(others) in \(facts.names(pids)) failed with SQLITE_BUSY at once: the "
                    + "transaction had read\(read) before it wrote, and another connection wrote. "
                    + timeoutCannotHelp,
                remedy: upgradeRemedy
            )
        ]
    }

    // MARK: Waits that failed

    private static func isModeSwitch(_ sql: String?) -> Bool {
        sql?.lowercased().hasPrefix("pragma journal_mode") == true
            || sql?.lowercased().hasPrefix("pragma main.journal_mode") == true
    }

    /// Statements that failed after the busy timeout, or at once because there is none.
    static func timeouts(_ facts: FindingFacts) -> [Finding] {
        let failed = (facts.report.waits ?? [])
            .filter { $0.longest.failed && $0.longest.isUpgrade != true }
        return modeSwitches(failed, in: facts)
            + withoutTimeout(failed, in: facts) + afterTimeout(failed, in: facts)
    }

    private static func count(_ waits: [WatchedWaits]) -> UInt64 {
        waits.reduce(0) { $0 + $1.count }
    }

    private static func modeSwitches(_ failed: [WatchedWaits], in facts: FindingFacts) -> [Finding]
    {
        let switches = failed.filter { isModeSwitch($0.sql) && $0.failedAtOnce }
        guard let sql = switches.first?.sql else { return [] }
        let all = facts.report.statements?.first { $0.sql == sql }
        let share =
            all.map { FindingFacts.share($0.busy, of: $0.calls) }
            ?? HumanUnits.exact(count(switches), "execution")
        return [
            Finding(
                .busy,
                "\(share) of \(FindingFacts.quoted(sql)) failed with SQLITE_BUSY at once: while "
                    + "another connection uses the database, the journal mode cannot change, and "
                    + "SQLite does not use the busy timeout for this statement.",
                remedy: "Run it once, when the database is created (the mode is stored in the "
                    + "file), or repeat it after SQLITE_BUSY."
            )
        ]
    }

    private static func withoutTimeout(
        _ failed: [WatchedWaits],
        in facts: FindingFacts
    )
        -> [Finding]
    {
        let immediate = failed.filter { $0.failedAtOnce && !isModeSwitch($0.sql) }
        guard let first = immediate.first else { return [] }
        let blockers = Set(immediate.compactMap { $0.by?.pid })
        let cause =
            blockers.isEmpty
            ? "another connection held the lock" : "\(facts.names(blockers)) held the lock"
        return [
            Finding(
                .busy,
                pid: blockers.count == 1 ? blockers.first : nil,
                "\(HumanUnits.exact(count(immediate), "execution")) "
                    + "(\(first.sql.map { FindingFacts.quoted($0) } ?? "a statement")) in "
                    + "\(facts.names(immediate.map(\.pid))) failed with SQLITE_BUSY without "
                    + "waiting: \(cause), and the connection has no busy timeout, or one of its "
                    + "reads was still open.",
                remedy: timeoutRemedy
            )
        ]
    }

    /// The failed waits with one cause: the blocking process, or none if it is unknown.
    private static func afterTimeout(
        _ failed: [WatchedWaits],
        in facts: FindingFacts
    )
        -> [Finding]
    {
        let waits = failed.filter { !$0.failedAtOnce }
        return Dictionary(grouping: waits) { $0.by?.pid }
            .sorted { count($0.value) > count($1.value) }.prefix(3)
            .compactMap { blocker, waits -> Finding? in
                guard let longest = waits.max(by: { $0.longest.seconds < $1.longest.seconds })
                else { return nil }
                let timeout = FindingFacts.duration(
                    waits.reduce(0) { $0 + $1.seconds } / Double(max(Self.count(waits), 1))
                )
                let bound = waits.allSatisfy(\.longest.isUpperBound) ? "at most " : "about "
                let count = HumanUnits.exact(Self.count(waits), "execution")
                var text =
                    "\(count) (\(longest.sql.map { FindingFacts.quoted($0) } ?? "a statement")) in "
                    + "\(facts.names(waits.map(\.pid))) failed with SQLITE_BUSY after waiting "
                    + "\(bound)\(timeout)"
                guard let blocker else {
                    text += "; the holder of the lock is not known."
                    return Finding(
                        .busy,
                        text,
                        remedy: "Set a busy timeout that is longer than the longest write "
                            + "transaction, and keep write transactions short."
                    )
                }
                let isSelf = waits.allSatisfy { $0.pid == blocker }
                text +=
                    isSelf
                    ? " for another connection of the same process" : " for \(facts.name(blocker))"
                let by = facts.completed(
                    waits.compactMap(\.by).max {
                        ($0.transactionSeconds ?? 0) < ($1.transactionSeconds ?? 0)
                    }
                )
                let cause = StatementRules.cause(by)
                text += cause.map { ", \($0)." } ?? ", which held the lock."
                // Without a traced transaction, samples tell what the holder does.
                let holder = cause == nil ? HolderRules.holder(blocker, in: facts) : nil
                text += holder?.text ?? ""
                return Finding(
                    .busy,
                    pid: blocker,
                    text,
                    remedy: (holder?.remedy ?? StatementRules.remedy(by, isSelf: isSelf))
                        + " The busy timeout must be longer than the longest of these transactions."
                )
            }
    }

    // MARK: Other failures

    /// What a result code means for the program, and its remedy.
    static func advice(
        for code: String
    ) -> (level: Finding.Level, text: String, remedy: String?) {
        if code.hasPrefix("SQLITE_LOCKED_SHAREDCACHE") {
            return (
                .warning,
                "connections of one process share a cache (cache=shared), and the busy timeout "
                    + "does not apply to its locks",
                "Remove cache=shared; in WAL mode, readers and a writer do not block each other."
            )
        }
        if code.hasPrefix("SQLITE_LOCKED") {
            return (
                .warning,
                "a statement of the same connection still used the table",
                "Reset or finalize the other statements of the connection first."
            )
        }
        if code.hasPrefix("SQLITE_CONSTRAINT") {
            return (.note, "the data violates a constraint", nil)
        }
        if code.hasPrefix("SQLITE_INTERRUPT") { return (.note, "the program interrupted it", nil) }
        if code.hasPrefix("SQLITE_FULL") {
            return (
                .warning,
                "the disk, or the database's PRAGMA max_page_count, is full",
                "Free space in the folders of the database and of temporary files."
            )
        }
        if code.hasPrefix("SQLITE_READONLY") {
            return (
                .warning,
                "the connection, the file, or its folder cannot be written",
                "Check the permissions of the file and its folder, and how the connection is opened."
            )
        }
        if code.hasPrefix("SQLITE_CORRUPT") || code.hasPrefix("SQLITE_NOTADB") {
            return (
                .alarm,
                "the database is damaged",
                "Stop writing, copy all files of the database, and run PRAGMA integrity_check."
            )
        }
        if code.hasPrefix("SQLITE_IOERR") {
            return (.warning, "the file system reported an error", "Check the system's log.")
        }
        return (.note, "SQLite rejected the execution (https://sqlite.org/rescode.html)", nil)
    }

    /// The failures that are not waits, one finding for each code.
    static func otherFailures(_ facts: FindingFacts) -> [Finding] {
        let statements = facts.report.statements ?? []
        var codes: [String: [(statement: WatchedStatement, count: UInt64)]] = [:]
        for statement in statements {
            for failure in statement.failures ?? [] where !failure.code.hasPrefix("SQLITE_BUSY") {
                codes[failure.code, default: []].append((statement, failure.count))
            }
        }
        return codes.sorted { $0.key < $1.key }.compactMap { code, entries in
            let sorted = entries.sorted { $0.count > $1.count }
            guard let first = sorted.first else { return nil }
            let count = sorted.reduce(0) { $0 + $1.count }
            let calls = sorted.reduce(0) { $0 + $1.statement.calls }
            let advice = advice(for: code)
            let others =
                sorted.count > 1
                ? " and \(HumanUnits.exact(UInt64(sorted.count - 1), "other statement"))" : ""
            let percent = HumanUnits.percent(Double(count) / Double(max(calls, 1)))
            return Finding(
                .failures,
                level: advice.level,
                "\(FindingFacts.share(count, of: calls)) (\(percent)) of "
                    + "\(FindingFacts.quoted(first.statement.sql))\(others) in "
                    + "\(facts.names(Set(sorted.flatMap(\.statement.pids)))) failed with \(code): "
                    + "\(advice.text).",
                remedy: advice.remedy
            )
        }
    }
}
