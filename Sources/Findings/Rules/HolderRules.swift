import Text

/// The rules about processes that hold a lock for a long time, from samples and, where it is
/// traced, from SQL.
enum HolderRules {
    /// What a holder of a lock does, as far as it is known.
    enum Work {
        /// It executes a statement.
        case statement(WatchedCurrentStatement)
        /// Its transaction is open, and executes no statement.
        case idle(WatchedTransaction)
        /// It did not run at all.
        case asleep
        /// It uses a large share of a core.
        case busy(Double)
        /// It uses little processor time, which does not prove anything.
        case quiet(Double)
        case unknown
    }

    static func work(
        of process: WatchedProcess,
        _ lock: WatchedLock?,
        in facts: FindingFacts
    ) -> Work {
        if let statement = facts.runningStatement(of: process.pid) { return .statement(statement) }
        if let transaction = facts.writeTransaction(of: process.pid) { return .idle(transaction) }
        if lock?.isAsleep == true { return .asleep }
        guard let share = process.processorShare else { return .unknown }
        // The process may work only while it holds the lock.
        let held = min(1, max(process.share.writer.value, 0.01))
        if share >= FindingFacts.busyShare * held, share >= FindingFacts.idleShare {
            return .busy(share)
        }
        return share < FindingFacts.idleShare ? .quiet(share) : .unknown
    }

    /// Returns a sentence about the work, with a leading space, or an empty string.
    private static func sentence(
        _ work: Work,
        process: Int32,
        in facts: FindingFacts
    ) -> String {
        switch work {
        case .statement(let statement):
            return
                " Process \(process) has been executing \(FindingFacts.quoted(statement.sql)) for "
                + "\(FindingFacts.duration(of: statement))."
        case .idle(let transaction):
            guard let since = transaction.secondsSinceStatement else { return "" }
            let last = transaction.sql.map { " since \(FindingFacts.quoted($0))" } ?? ""
            return " Its transaction has been open for "
                + "\(FindingFacts.duration(transaction.seconds)) and has executed no statement for "
                + "\(FindingFacts.duration(since))\(last)."
        case .asleep:
            return " The process did not run in that time, so it is idle in a transaction."
        case .busy(let share):
            let text = " Process \(process) used \(HumanUnits.percent(share)) of a core."
            let isTraced = facts.report.tracing?.pids.contains(process) == true
            let isKnown = facts.report.current?.contains { $0.pid == process } ?? false
            guard isTraced, !isKnown else { return text }
            return text + " No statement of it began since tracing started, so what it executes is "
                + "not known: start the trace before the program."
        case .quiet(let share):
            return " Process \(process) used only \(HumanUnits.percent(share)) of a core."
        case .unknown: return ""
        }
    }

    /// Returns what the holder of a lock does, as a sentence, and a remedy.
    static func holder(_ process: Int32, in facts: FindingFacts) -> (text: String, remedy: String)?
    {
        guard let process = facts.process(process) else { return nil }
        let lock = process.locks.filter { $0.kind.isExclusive }.max { $0.seconds < $1.seconds }
        let work = work(of: process, lock, in: facts)
        let held = lock.map { lock in
            " It has held the \(lock.kind == .writer ? "write" : lock.kind.rawValue) lock "
                + "\(time(lock))."
        }
        return (
            (held ?? "") + sentence(work, process: process.pid, in: facts),
            remedy(work, process: process.pid)
        )
    }

    private static func remedy(_ work: Work, process: Int32) -> String {
        switch work {
        case .statement(let statement) where statement.sql.contains("'optimize'"):
            return
                "Run 'optimize' rarely, when no other process writes, or use the command 'merge', "
                + "which does a part of it (https://sqlite.org/fts5.html#the_merge_command)."
        case .statement, .busy:
            return
                "Make the statement faster (EXPLAIN QUERY PLAN shows scans and sorts), or divide "
                + "the work into smaller transactions."
        case .unknown:
            return "Keep the write transactions of process \(process) short: do other work before "
                + "BEGIN or after COMMIT, and divide long writes into smaller transactions."
        case .idle, .asleep, .quiet: break
        }
        return "Search the source code of process \(process) for a BEGIN without COMMIT or "
            + "ROLLBACK, and for other work during transactions; do that work before BEGIN or "
            + "after COMMIT."
    }

    private static func time(_ lock: WatchedLock) -> String {
        let time = FindingFacts.duration(lock.seconds)
        return lock.isContinuous ? "for at least \(time)" : "at each sample for about \(time)"
    }

    private static func waiters(_ facts: FindingFacts, besides process: Int32) -> String {
        let waiting = facts.waiting.filter { $0 != process }
        guard !waiting.isEmpty else { return "" }
        return "; \(facts.names(waiting)) \(waiting.count == 1 ? "is" : "are") probably waiting"
    }

    /// The minimum share of checks in which a process waited for itself.
    private static let minimumSelfWaitShare = 0.05

    /// A process whose connections wait for each other: no other process held a lock.
    static func selfWaits(_ facts: FindingFacts) -> [Finding] {
        facts.report.processes.compactMap { process in
            guard !facts.explained.contains(process.pid), let wait = process.waiting,
                wait.share >= minimumSelfWaitShare, process.share.writer.value > 0,
                facts.report.processes.allSatisfy({
                    $0.pid == process.pid
                        || $0.share.writer.value == 0 && !$0.isHolder
                            // With a rollback journal, a writer waits for readers.
                            && (facts.report.wal != nil || $0.share.reader.value == 0)
                })
            else { return nil }
            let lock = process.locks.first { $0.kind.isExclusive }
            let held =
                "held the write lock \(HumanUnits.percent(process.share.writer.value)) of the time"
            let work = work(of: process, lock, in: facts)
            return Finding(
                .selfWait,
                pid: process.pid,
                "\(facts.name(process.pid)) probably waits for itself: one of its connections "
                    + "\(held), and another connection of the same process waited in "
                    + "\(HumanUnits.percent(wait.share)) of the checks."
                    + sentence(work, process: process.pid, in: facts),
                remedy:
                    "Use one connection for all writes of the process, or a lock of the program "
                    + "around its write transactions, and do other work before BEGIN or after "
                    + "COMMIT. In a language with a global lock, a waiting thread may also keep the "
                    + "holder from continuing."
            )
        }
    }

    static func holders(_ facts: FindingFacts) -> [Finding] {
        facts.report.processes.compactMap { process -> Finding? in
            guard !facts.explained.contains(process.pid),
                !process.locks.contains(where: { $0.kind == .checkpoint }),
                let lock = process.locks.filter({ $0.kind.isExclusive })
                    .max(by: { $0.seconds < $1.seconds })
            else { return nil }
            let hasWaiters = !facts.waiting.isEmpty
            let minimum =
                hasWaiters ? FindingFacts.minimumAgeWithWaiters : FindingFacts.minimumAge
            guard lock.seconds >= minimum else { return nil }
            return lock.kind == .writer
                ? writer(process, lock: lock, in: facts) : exclusive(process, lock: lock, in: facts)
        }
    }

    private static func writer(
        _ process: WatchedProcess,
        lock: WatchedLock,
        in facts: FindingFacts
    ) -> Finding {
        let work = work(of: process, lock, in: facts)
        return Finding(
            .longWriter,
            pid: process.pid,
            "\(facts.name(process.pid)) has held the write lock \(time(lock)): no other process can "
                + "write\(waiters(facts, besides: process.pid))."
                + uncertainty(lock) + sentence(work, process: process.pid, in: facts),
            remedy: remedy(work, process: process.pid)
        )
    }

    private static func uncertainty(_ lock: WatchedLock) -> String {
        lock.isContinuous ? "" : " It may have released the lock between samples."
    }

    private static func exclusive(
        _ process: WatchedProcess,
        lock: WatchedLock,
        in facts: FindingFacts
    ) -> Finding {
        let name = facts.name(process.pid)
        let held = "\(name) has held the \(lock.kind.rawValue) lock \(time(lock))"
        // A write transaction has a journal while it keeps the lock.
        let isMode =
            lock.kind == .exclusive
            && (facts.report.wal != nil || facts.report.rollback?.hasValidJournal == false)
        if isMode {
            // A program that uses its database alone may keep the lock.
            let others = facts.report.processes.contains { $0.pid != process.pid }
            let isNoticed = others || !(facts.report.waits ?? []).isEmpty || !facts.waiting.isEmpty
            return Finding(
                .exclusive,
                level: isNoticed ? .warning : .note,
                pid: process.pid,
                "\(held): no other process can use the database\(waiters(facts, besides: process.pid)).",
                remedy: "It probably uses PRAGMA locking_mode = EXCLUSIVE."
            )
        }
        let effect =
            lock.kind == .reserved
            ? "no other process can write" : "no other process can read or write"
        var text =
            "\(held): \(effect)\(waiters(facts, besides: process.pid))." + uncertainty(lock)
        let readers = facts.report.processes.filter { other in
            other.pid != process.pid && other.locks.contains { $0.kind == .shared }
        }
        if lock.kind == .pending, !readers.isEmpty {
            text += " Process \(process.pid) is waiting for readers to finish: "
            text += "\(facts.names(readers.map(\.pid)))."
        }
        let work = work(of: process, lock, in: facts)
        return Finding(
            .exclusive,
            pid: process.pid,
            text + sentence(work, process: process.pid, in: facts),
            remedy: remedy(work, process: process.pid)
        )
    }

    /// The share of the time from which holding the write lock again and again is a finding.
    private static let minimumHoldShare = 0.5
    /// The time without a statement from which a transaction is idle, in seconds.
    private static let minimumGap = 0.05

    /// A process that holds the write lock most of the time in transactions that execute no
    /// statement.
    ///
    /// Each of them may be short, and all others may have waited before the report.
    static func repeatedHolds(_ facts: FindingFacts) -> [Finding] {
        facts.report.processes.compactMap { process in
            let share = process.share.writer.value
            let transactions = (facts.report.transactions ?? []).filter {
                $0.pid == process.pid && $0.writes
            }
            // Other rules name the process if a statement waited for it.
            let isNamed = (facts.report.waits ?? []).contains { $0.by?.pid == process.pid }
            guard !isNamed, !facts.explained.contains(process.pid), share >= minimumHoldShare,
                let longest = transactions.max(by: {
                    $0.longestGapSeconds < $1.longestGapSeconds
                }),
                longest.longestGapSeconds >= minimumGap,
                StatementRules.isIdle(gap: longest.longestGapSeconds, of: longest.seconds)
            else { return nil }
            let after = longest.gapAfter.map { " after \(FindingFacts.quoted($0))" } ?? ""
            return Finding(
                .longWriter,
                pid: process.pid,
                "\(facts.name(process.pid)) holds the write lock \(HumanUnits.percent(share)) of the "
                    + "time, in transactions of up to \(FindingFacts.duration(longest.seconds)). "
                    + "They execute no statement for up to "
                    + "\(FindingFacts.duration(longest.longestGapSeconds))\(after).",
                remedy: "Do the work between these statements before BEGIN or after COMMIT or "
                    + "ROLLBACK, and pause before the next transaction."
            )
        }
    }

    static func checkpoints(_ facts: FindingFacts) -> [Finding] {
        facts.report.processes.compactMap { process in
            guard let lock = process.locks.first(where: { $0.kind == .checkpoint }),
                lock.seconds >= FindingFacts.minimumAge
            else { return nil }
            let readers = facts.report.processes.filter { other in
                other.pid != process.pid && other.locks.contains { $0.kind == .reader }
            }
            var text =
                "\(facts.name(process.pid)) has been running a checkpoint for at least "
                + FindingFacts.duration(lock.seconds)
            if process.locks.contains(where: { $0.kind == .writer }) {
                text += " and holds the write lock: no other process can write"
            }
            if !readers.isEmpty {
                text += "; it is probably waiting for the reads of "
                text += "\(facts.names(readers.map(\.pid))) to end"
            }
            return Finding(
                .checkpointWaits,
                pid: process.pid,
                text + ".",
                remedy: "A PASSIVE checkpoint does not wait for readers."
            )
        }
    }

    /// How long findings mention an episode after it ends, in seconds.
    private static let endedEpisodeTime = 10.0

    /// The longest completed episode that no other finding explains.
    static func endedEpisodes(_ facts: FindingFacts) -> [Finding] {
        let report = facts.report
        let earliest =
            report.time.milliseconds
            - Int64(max(endedEpisodeTime, report.window.seconds) * 1_000)
        let recent = report.episodes.filter { episode in
            episode.kind != .pin && !facts.explained.contains(episode.pid)
                && episode.end.map { $0.milliseconds > earliest } ?? false
        }
        // One finding: the process with the longest episode.
        guard let longest = recent.max(by: { $0.seconds < $1.seconds }) else { return [] }
        let all = recent.filter { $0.kind == longest.kind && $0.pid == longest.pid }
        let lock =
            switch longest.kind {
            case .writer: "the write lock"
            case .checkpoint: "the checkpoint lock"
            case .exclusive, .pin: "the database"
            }
        let length = FindingFacts.duration(longest.seconds)
        let end = all.compactMap(\.end).max() ?? report.time
        let ago = FindingFacts.duration(
            Double(report.time.milliseconds - min(report.time.milliseconds, end.milliseconds)) / 1e3
        )
        let isProven = longest.isContinuous != false
        let about = isProven ? "" : "about "
        var text = "\(facts.name(longest.pid)) held \(lock) "
        if all.count > 1 {
            text += all.count == 2 ? "twice" : "\(all.count) times"
            text += ", for up to \(about)\(length) at a time, and last released it \(ago) ago"
        } else {
            text += "for \(about)\(length), until \(ago) ago"
        }
        let waiters = Set(all.flatMap(\.waiters).map(\.pid)).sorted()
        if !waiters.isEmpty {
            let names = all.flatMap(\.waiters).reduce(into: [Int32: String]()) {
                $0[$1.pid] = "\($1.name) (\($1.pid))"
            }
            text += "; \(waiters.prefix(3).compactMap { names[$0] }.joined(separator: ", "))"
            text += waiters.count > 3 ? " and \(waiters.count - 3) more" : ""
            text += " probably waited"
        }
        text += isProven ? "." : "; it may have released the lock between samples."
        let process = facts.process(longest.pid)
        var work = Work.unknown
        if longest.kind != .checkpoint, let process {
            work = self.work(of: process, nil, in: facts)
        }
        if case .idle = work { work = .unknown }
        let past = pastWork(of: longest.pid, holding: longest.seconds, facts)
        if longest.kind != .checkpoint {
            text += past?.text ?? sentence(work, process: longest.pid, in: facts)
        }
        let kind: Finding.Kind =
            switch longest.kind {
            case .writer: .longWriter
            case .checkpoint: .checkpointWaits
            case .exclusive, .pin: .exclusive
            }
        return [
            Finding(
                kind,
                pid: longest.pid,
                text,
                remedy: kind == .checkpointWaits
                    ? nil : past?.remedy ?? remedy(work, process: longest.pid)
            )
        ]
    }

    /// Returns what a process did in its longest write transaction that has ended, as a sentence with a
    /// leading space, and a remedy, or `nil` if it is unknown.
    ///
    /// - Parameters:
    ///   - process: The ID of the process.
    ///   - hold: The time for which the process held the lock, in seconds, which the transaction must
    ///     not exceed by much, or `nil` for any transaction.
    ///   - facts: The report.
    /// - Returns: The sentence and the remedy.
    static func pastWork(
        of process: Int32,
        holding hold: Double? = nil,
        _ facts: FindingFacts
    ) -> (text: String, remedy: String)? {
        let transactions = (facts.report.transactions ?? []).filter { transaction in
            transaction.pid == process && transaction.writes && !transaction.open
                && hold.map { transaction.seconds <= 2 * $0 + 1 } ?? true
        }
        guard let longest = transactions.max(by: { $0.seconds < $1.seconds }) else { return nil }
        let which = hold == nil ? "longest write" : "write"
        let text =
            " Its \(which) transaction (\(FindingFacts.duration(longest.seconds))) executed "
        if let after = longest.gapAfter,
            StatementRules.isIdle(gap: longest.longestGapSeconds, of: longest.seconds)
        {
            let before = longest.gapBefore.map { " and before \(FindingFacts.quoted($0))" } ?? ""
            return (
                text + "no statement for \(FindingFacts.duration(longest.longestGapSeconds)) after "
                    + "\(FindingFacts.quoted(after))\(before).",
                "Do the work between these statements before BEGIN or after COMMIT."
            )
        }
        guard let last = longest.sql else { return nil }
        return (
            text + "\(HumanUnits.exact(longest.statements, "statement")), the last "
                + "\(FindingFacts.quoted(last)).",
            "Make its statements faster, or divide it into smaller transactions."
        )
    }
}
