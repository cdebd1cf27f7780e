import Findings
import SQLText
import SQLiteWatch

/// The statements, transactions, and waits of one database, derived from executions.
struct TraceModel {
    /// Whether reports show statements with their literals.
    var showsLiterals = false
    /// The names in the schema, in lowercase.
    var identifiers: Set<String> = [] {
        didSet { if oldValue != identifiers { texts = [:] } }
    }

    private(set) var statements = StatementTable()
    private(set) var transactions = TransactionTracker()
    private(set) var blocks = BlockTracker()
    /// The last statement of each process, with its end time.
    private var lastStatements: [Int32: (sql: String, end: UInt64)] = [:]
    private var texts: [String: (shown: String, kind: SQLStatementKind)] = [:]

    /// The original text of each statement without a plan, keyed by its normalized text.
    private var unplanned: [String: String] = [:]
    private var plans: [String: [String]] = [:]
    /// An index that would improve the plan of each statement.
    private var indexes: [String: String] = [:]

    /// The maximum number of statements in a request for plans.
    private static let planBatch = 64
    /// The maximum number of plans to store.
    private static let planCapacity = 1_024
    private static let textCapacity = 8_192
    private static let textLimit = 4_096

    /// Adds an execution, and returns the kind of its statement.
    @discardableResult
    mutating func add(_ execution: StatementExecution) -> SQLStatementKind {
        let text = execution.sql.map { displayText(of: $0) }
        if let text { lastStatements[execution.process] = (text.shown, execution.end) }
        let upgrade = blocks.add(
            execution,
            sql: text?.shown,
            transactions,
            beginsUnseen: text.map { !$0.kind.beginsTransaction } ?? false
        )
        statements.add(
            execution,
            sql: text?.shown,
            isRead: text?.kind == .other,
            upgrade: upgrade
        )
        transactions.add(execution, sql: text?.shown, kind: text?.kind ?? .other)
        return text?.kind ?? .other
    }

    mutating func end(process: Int32, at time: UInt64) {
        lastStatements[process] = nil
        transactions.end(process: process, at: time)
    }

    mutating func end(_ connection: ConnectionKey, at time: UInt64) {
        transactions.end(connection, at: time)
    }

    /// Records that the records of a process are missing, so that its open transactions may have
    /// ended.
    mutating func noteGap(of process: Int32) {
        statements.isIncomplete = true
        transactions.forgetOpen(of: process)
        blocks.forget()
    }

    mutating func noteLoss() { statements.isIncomplete = true }

    /// Returns the statements with their plans, as in ``StatementTable/report(sampled:elapsed:)``.
    mutating func statementReport(
        sampled: [Int32: StatementTable.Sampling] = [:],
        elapsed: (Int32) -> Double?
    ) -> [WatchedStatement] {
        statements.report(sampled: sampled, elapsed: elapsed).map { statement in
            var statement = statement
            statement.plan = plans[statement.sql].flatMap { $0.isEmpty ? nil : $0 }
            statement.proposedIndex = indexes[statement.sql]
            return statement
        }
    }

    struct RunningStatement: Equatable {
        var text: String
        var start: UInt64
        /// Whether it began before the start, because its process had no probes.
        var isEarly: Bool
    }

    /// Returns the running statement of each process, or its last statement if none is running.
    ///
    /// - Parameters:
    ///   - running: The running statements, by process.
    ///   - now: The time on the monotonic clock, in nanoseconds.
    /// - Returns: The statements, sorted by process ID.
    mutating func currentReport(
        running: [Int32: RunningStatement],
        now: UInt64
    ) -> [WatchedCurrentStatement] {
        var report: [Int32: WatchedCurrentStatement] = [:]
        func seconds(since time: UInt64) -> Double { Double(now - min(time, now)) / 1e9 }
        for (process, statement) in lastStatements {
            report[process] = WatchedCurrentStatement(
                pid: process,
                sql: statement.sql,
                isRunning: false,
                seconds: seconds(since: statement.end)
            )
        }
        for (process, statement) in running {
            report[process] = WatchedCurrentStatement(
                pid: process,
                sql: displayText(of: statement.text).shown,
                isRunning: true,
                seconds: seconds(since: statement.start),
                isLowerBound: statement.isEarly ? true : nil
            )
        }
        return report.values.sorted { $0.pid < $1.pid }
    }

    // MARK: Plans

    /// The next statements to plan, with their normalized texts.
    var statementsToPlan: [(shown: String, sql: String)] {
        unplanned.prefix(Self.planBatch).map { ($0.key, $0.value) }
    }

    /// Stores the plans from a response.
    ///
    /// If `response` is `nil`, the statements have no plans.
    mutating func setPlans(
        _ response: PlanResponse?,
        for requested: [(shown: String, sql: String)]
    ) {
        for (index, statement) in requested.enumerated() {
            unplanned[statement.shown] = nil
            let isPlanned = response?.plans.indices.contains(index) ?? false
            let plan = isPlanned ? response?.plans[index] : nil
            plans[statement.shown] = plan ?? []
            if isPlanned, let response, response.indexes.indices.contains(index) {
                indexes[statement.shown] = response.indexes[index]
            }
        }
        if let response { identifiers = Set(response.names) }
    }

    /// Returns the text to show for a statement and its effect on transactions, and requests a plan
    /// for a new statement.
    mutating func displayText(
        of sql: String
    ) -> (shown: String, kind: SQLStatementKind) {
        if let known = texts[sql] { return known }
        let text =
            showsLiterals
            ? String(SecretKeys.redacted(sql).prefix(Self.textLimit))
            : StatementText.normalized(sql, identifiers: identifiers)
        let kind = SQLStatementKind(sql)
        if !kind.controlsTransaction, plans[text] == nil,
            plans.count + unplanned.count < Self.planCapacity
        {
            unplanned[text] = sql
        }
        let new = (text, kind)
        if texts.count >= Self.textCapacity { texts = [:] }
        texts[sql] = new
        return new
    }
}

extension TraceModel {
    struct ReportContext {
        var now: UInt64
        /// A closure that converts a monotonic time to a calendar time.
        var calendar: (UInt64) -> WatchTime
        var name: (Int32) -> String?
    }

    /// Returns all open transactions, oldest first, followed by the longest completed ones.
    func transactionReport(_ context: ReportContext) -> [WatchedTransaction] {
        let open = transactions.openTransactions.values.sorted {
            ($0.start, $0.key.process, $0.key.connection)
                < ($1.start, $1.key.process, $1.key.connection)
        }
        return (open + transactions.longestTransactions).map { transaction in
            var report = WatchedTransaction(
                pid: transaction.key.process,
                connection: String(transaction.key.connection, radix: 16)
            )
            report.name = context.name(transaction.key.process)
            report.open = transaction.end == nil
            report.writes = transaction.writesSince != nil
            report.seconds = transaction.seconds(at: context.now)
            report.statements = transaction.statements
            var idle = transaction.idle
            var gap = transaction.longestGap.length
            if transaction.end == nil {
                let since = context.now - min(transaction.lastEnd, context.now)
                idle += since
                gap = max(gap, since)
                report.secondsSinceStatement = Double(since) / 1e9
            }
            report.idleSeconds = Double(idle) / 1e9
            report.longestGapSeconds = Double(gap) / 1e9
            report.gapAfter = transaction.gapAfter
            report.gapBefore = transaction.gapBefore
            if transaction.end == nil,
                report.longestGapSeconds * 1e9 > Double(transaction.longestGap.length)
            {
                report.gapAfter = transaction.lastSQL
                report.gapBefore = nil
            }
            report.sql = transaction.lastSQL
            return report
        }
    }

    /// Returns all waits in groups, longest total time first.
    func waitReport(_ context: ReportContext) -> [WatchedWaits] {
        blocks.groups.map { group in
            WatchedWaits(
                count: group.count,
                seconds: Double(group.length) / 1e9,
                longest: report(on: group.longest, context)
            )
        }
    }

    /// Returns the waits, most recent first.
    func blockReport(_ context: ReportContext) -> [WatchedBlock] {
        blocks.latest.map { report(on: $0, context) }
    }

    private func report(on block: BlockTracker.Block, _ context: ReportContext) -> WatchedBlock {
        var report = WatchedBlock(
            time: context.calendar(block.end),
            pid: block.key.process,
            seconds: Double(block.length) / 1e9,
            failed: block.failed
        )
        report.name = context.name(block.key.process)
        report.sql = block.sql
        report.isUpperBound = block.isUpperBound
        if block.failed { report.isUpgrade = block.isUpgrade }
        report.isMainThread = block.isMainThread
        report.by = block.blocker.map { transaction in
            let process = transaction.key.process
            var blocker = WatchedBlock.Blocker(pid: process, isInferred: false)
            blocker.name = context.name(process)
            blocker.sql = transaction.lastSQL
            blocker.transactionSeconds = transaction.seconds(at: block.end)
            let start = block.end - min(block.length, block.end)
            blocker.longestGapSeconds = Double(transaction.longestGap.length) / 1e9
            blocker.gapAfter = transaction.gapAfter
            blocker.gapBefore = transaction.gapBefore
            if transaction.end == nil || transaction.end ?? 0 >= block.end {
                // The transaction may have been idle until the end of the wait.
                let current = block.end - min(transaction.lastEnd, block.end)
                if current > transaction.longestGap.length {
                    blocker.longestGapSeconds = Double(current) / 1e9
                    blocker.gapAfter = transaction.lastSQL
                    blocker.gapBefore = nil
                }
            }
            blocker.idleSeconds = Double(transaction.idle(from: start, to: block.end)) / 1e9
            return blocker
        }
        return report
    }
}
