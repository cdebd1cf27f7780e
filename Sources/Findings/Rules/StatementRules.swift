import Text

/// The rules about statements that run or wait for a long time, or more often than necessary.
enum StatementRules {
    // MARK: Waits

    /// Returns what a blocking transaction did, as a clause, or `nil` if it is unknown.
    static func cause(_ by: WatchedBlock.Blocker?) -> String? {
        guard let by, let open = by.transactionSeconds else { return nil }
        let which = by.isInferred ? "longest transaction" : "transaction"
        var text = "whose \(which) was open for \(FindingFacts.duration(open))"
        guard let gap = by.longestGapSeconds, isIdle(gap: gap, of: open) else {
            if let sql = by.sql { text += " and last ran \(FindingFacts.quoted(sql, limit: 60))" }
            return text
        }
        text += " and executed no statement for \(FindingFacts.duration(gap))"
        switch (by.gapAfter, by.gapBefore) {
        case (let after?, let before?):
            text += " between \(FindingFacts.quoted(after, limit: 60)) and "
            text += FindingFacts.quoted(before, limit: 60)
        case (let after?, nil): text += " after \(FindingFacts.quoted(after, limit: 60))"
        default: break
        }
        return text
    }

    /// Whether a gap between statements explains the time of a transaction, in seconds.
    ///
    /// A transaction may also wait for the lock after its BEGIN.
    static func isIdle(gap: Double, of open: Double) -> Bool { gap >= 0.3 * open }

    static func remedy(_ by: WatchedBlock.Blocker?, isSelf: Bool) -> String {
        let serial =
            isSelf
            ? " Use one connection for all writes of the process, or a lock around them." : ""
        guard let by, let open = by.transactionSeconds, let gap = by.longestGapSeconds else {
            return "Keep the write transactions of the holder short." + serial
        }
        return isIdle(gap: gap, of: open)
            ? "Do the work between these statements before BEGIN or after COMMIT." + serial
            : "Make the statements of this transaction faster, or divide it into smaller ones."
                + serial
    }

    /// The total time of waits, as a share of the trace, from which they are a finding.
    private static let minimumWaitShare = 0.02
    /// The programs whose main thread runs an event loop.
    private static let eventLoops = ["node", "deno", "bun", "electron"]

    /// Statements that waited for a lock and then succeeded, by the blocking process.
    static func waits(_ facts: FindingFacts) -> [Finding] {
        let waits = (facts.report.waits ?? []).filter { !$0.longest.failed }
        let length = max(facts.report.tracing?.seconds ?? 1, 1)
        return Dictionary(grouping: waits) { $0.by?.pid }
            .sorted { $0.value.map(\.seconds).reduce(0, +) > $1.value.map(\.seconds).reduce(0, +) }
            .compactMap { blocker, waits -> Finding? in
                guard let blocker, !facts.explained.contains(blocker),
                    let longest = waits.map(\.longest).max(by: { $0.seconds < $1.seconds })
                else { return nil }
                let total = waits.reduce(0) { $0 + $1.seconds }
                let count = HumanUnits.exact(waits.reduce(0) { $0 + $1.count }, "execution")
                let isSelf = waits.allSatisfy { $0.pid == blocker }
                let by = facts.completed(
                    waits.compactMap(\.by).max {
                        ($0.transactionSeconds ?? 0) < ($1.transactionSeconds ?? 0)
                    }
                )
                var text =
                    "\(count) (\(longest.sql.map { FindingFacts.quoted($0) } ?? "a statement")) in "
                    + "\(facts.names(waits.map(\.pid))) waited up to "
                    + "\(FindingFacts.duration(longest.seconds)) "
                    + (isSelf
                        ? "for another connection of the same process"
                        : "for \(facts.name(blocker))")
                    + (cause(by).map { ", \($0)" } ?? "") + "."
                let blocked = waits.map(\.longest).filter { block in
                    block.isMainThread == true
                        && eventLoops.contains { facts.name(block.pid).hasPrefix($0) }
                }
                if let worst = blocked.max(by: { $0.seconds < $1.seconds }) {
                    text +=
                        " \(facts.name(worst.pid)) waited on its main thread, which blocked its "
                    text += "event loop for \(FindingFacts.duration(worst.seconds))."
                }
                return Finding(
                    .idleTransaction,
                    level: total / length >= minimumWaitShare ? .warning : .note,
                    pid: blocker,
                    text,
                    remedy: remedy(by, isSelf: isSelf)
                )
            }
    }

    // MARK: Long and slow statements

    /// The time from which a running statement is mentioned, in seconds.
    private static let longStatementTime = 2.0

    static func longStatements(_ facts: FindingFacts) -> [Finding] {
        (facts.report.current ?? []).compactMap { statement in
            guard statement.isRunning, statement.seconds >= longStatementTime,
                !facts.explained.contains(statement.pid)
            else { return nil }
            return Finding(
                .longStatement,
                level: .note,
                pid: statement.pid,
                "\(facts.name(statement.pid)) has been executing "
                    + "\(FindingFacts.quoted(statement.sql)) for "
                    + "\(FindingFacts.duration(of: statement)).",
                remedy: "Its query plan shows whether an index is missing."
            )
        }
    }

    /// The number of instructions of SQLite's virtual machine, per run and per second, from which
    /// a scan or sort is a finding.
    private static let minimumSteps = 10_000.0
    private static let minimumStepsPerSecond = 2_000_000.0

    /// Returns whether a statement reads or sorts more than it should, from its instructions per
    /// execution, its executions per second, and its plan.
    static func isSlow(steps: Double, perSecond: Double, plan: [String]) -> Bool {
        executesMany(steps: steps, perSecond: perSecond) && causes(of: plan) != nil
    }

    /// Returns whether a statement executes many instructions per execution and per second.
    static func executesMany(steps: Double, perSecond: Double) -> Bool {
        steps >= minimumSteps && steps * perSecond >= minimumStepsPerSecond
    }

    /// Returns what a plan does that takes time, as a clause, or `nil` if it only searches.
    static func causes(of plan: [String]) -> String? {
        var causes: [String] = []
        if let scan = scan(in: plan) {
            causes.append("reads a whole table or index (\(FindingFacts.quoted(scan)))")
        }
        if let sort = plan.first(where: { $0.contains("TEMP B-TREE") }) {
            causes.append("sorts (\(FindingFacts.quoted(sort)))")
        }
        return causes.isEmpty ? nil : causes.joined(separator: " and ")
    }

    /// Returns the first line that reads a table or an index from its start, or `nil` if there is none.
    ///
    /// An index cannot replace the scan of rows that the statement itself computes.
    private static func scan(in plan: [String]) -> String? {
        let computed = plan.flatMap { line in
            ["CO-ROUTINE ", "MATERIALIZE "].compactMap { line.text(after: $0) }
        }
        return plan.first { line in
            guard let name = line.text(after: "SCAN ") else { return false }
            return !name.hasPrefix("CONSTANT ROW") && !computed.contains(name)
        }
    }

    /// Whether a traced statement executes many instructions for a scan or a sort.
    static func isSlow(_ statement: WatchedStatement, in facts: FindingFacts) -> Bool {
        let length = max(facts.report.tracing?.seconds ?? 1, 1)
        return isSlow(
            steps: statement.steps ?? 0,
            perSecond: Double(statement.calls) / length,
            plan: statement.plan ?? []
        )
    }

    static func slowStatements(_ facts: FindingFacts) -> [Finding] {
        let slow = (facts.report.statements ?? []).filter { isSlow($0, in: facts) }
        func allSteps(_ statement: WatchedStatement) -> Double {
            (statement.steps ?? 0) * Double(statement.calls)
        }
        return slow.sorted { allSteps($0) > allSteps($1) }.prefix(3).map { statement in
            let steps = statement.steps ?? 0
            let mean =
                statement.mean.map { " and takes \(FindingFacts.duration($0))" } ?? ""
            return Finding(
                .slowStatement,
                pid: statement.pids.count == 1 ? statement.pids[0] : nil,
                "\(FindingFacts.quoted(statement.sql)) in \(facts.names(statement.pids)) executes "
                    + "\(HumanUnits.exact(UInt64(steps), "instruction")) of SQLite's virtual machine "
                    + "per run\(mean), \(HumanUnits.exact(statement.calls, "time")): it "
                    + "\(causes(of: statement.plan ?? []) ?? "scans or sorts").",
                remedy: statement.proposedIndex.map { index in
                    "An index on \(index) avoids this in an empty database with the same schema. "
                        + "poolgauge advise measures it."
                } ?? "Create an index on the compared columns, followed by the columns of ORDER "
                    + "BY. poolgauge advise finds and measures it."
            )
        }
    }

    // MARK: Many small pieces

    /// The mean length of a run from which a statement is considered repeated.
    private static let minimumRun = 10.0
    /// The number of executions per second from which repetitions are a finding.
    private static let minimumRepeatedRate = 50.0

    static let repeatedRemedy = "Use one query instead: a join, or WHERE … IN (…)."

    /// One query for each row of another query ("N+1").
    static func repeated(_ facts: FindingFacts) -> [Finding] {
        let length = max(facts.report.tracing?.seconds ?? 1, 1)
        let repeated = (facts.report.statements ?? []).filter { statement in
            guard let runs = statement.repeated, runs.runs > 1 else { return false }
            return Double(runs.calls) / Double(runs.runs) >= minimumRun
                && Double(runs.calls) / length >= minimumRepeatedRate
                && runs.calls >= statement.calls / 2
        }
        return repeated.sorted { $0.calls > $1.calls }.prefix(3).compactMap { statement in
            guard let runs = statement.repeated else { return nil }
            let count = HumanUnits.number(Double(runs.calls) / Double(runs.runs))
            return Finding(
                .repeated,
                level: .note,
                pid: statement.pids.count == 1 ? statement.pids[0] : nil,
                "\(count) × \(FindingFacts.quoted(statement.sql)) per "
                    + "execution of \(FindingFacts.quoted(runs.after)) in \(facts.names(statement.pids)): one "
                    + "query for each row of another (N+1).",
                remedy: repeatedRemedy
            )
        }
    }

    /// The number of commits per second from which small transactions are mentioned.
    private static let minimumCommits = 20.0
    /// The number of frames per commit up to which a transaction is considered small.
    private static let maximumFrames = 6.0
    /// The share of time in the write lock from which small transactions are mentioned.
    private static let minimumWriteShare = 0.5
    /// The share of that time that waits for the disk.
    private static let minimumSyncShare = 0.3

    static let smallTransactionsRemedy =
        "Put several changes into one transaction: each commit waits for the disk once. In WAL mode, "
        + "PRAGMA synchronous = NORMAL waits only at checkpoints, but the last commits before a power "
        + "failure can be lost."

    static func smallTransactions(_ facts: FindingFacts) -> [Finding] {
        let report = facts.report
        let rate = report.wal?.commitsPerSecond ?? report.rollback?.transactionsPerSecond ?? 0
        guard rate >= minimumCommits,
            let writer = report.processes.max(by: { $0.share.writer.value < $1.share.writer.value }
            ),
            writer.share.writer.value >= minimumWriteShare,
            let sync = writer.syncShare, sync >= minimumSyncShare
        else { return [] }
        var frames = ""
        if let log = report.wal {
            guard let written = log.framesPerSecond, written / rate <= maximumFrames else {
                return []
            }
            frames = " of \(HumanUnits.number(written / rate)) pages each"
        }
        return [
            Finding(
                .smallTransactions,
                level: .note,
                pid: writer.pid,
                "\(facts.name(writer.pid)) holds the write lock "
                    + "\(HumanUnits.percent(writer.share.writer.value)) of the time for "
                    + "\(HumanUnits.rate(rate)) commits\(frames); \(HumanUnits.percent(sync)) of "
                    + "that time waits for the disk.",
                remedy: smallTransactionsRemedy
            )
        ]
    }
}

extension String {
    /// Returns the text after the first occurrence of a keyword, or `nil` if it does not occur.
    fileprivate func text(after keyword: String) -> Substring? {
        firstRange(of: keyword).map { self[$0.upperBound...] }
    }
}
