import SQLText
import SQLiteWatch

/// The explicit transactions of all connections, derived from changes of their autocommit state.
struct TransactionTracker {
    struct Transaction: Sendable {
        var key: ConnectionKey
        /// The end time of the first statement.
        var start: UInt64
        /// The end time of the transaction, or `nil` while it is open.
        var end: UInt64?
        /// The time at which a statement acquired the write lock, or `nil` if no statement did.
        var writesSince: UInt64?
        var statements: UInt64 = 0
        /// The end time of the last statement.
        var lastEnd: UInt64
        /// The normalized text of the last statement that did not end the transaction.
        var lastSQL: String?
        /// The normalized text of the first statement that read before any statement wrote.
        var firstRead: String?
        /// The statements before and after the longest gap.
        var gapAfter: String?
        var gapBefore: String?
        /// The total time between statements, in nanoseconds.
        var idle: UInt64 = 0
        /// The length and end of the longest gap between two statements.
        var longestGap: (length: UInt64, end: UInt64) = (0, 0)

        /// Returns the duration of the transaction up to a given time, in seconds.
        func seconds(at now: UInt64) -> Double {
            let end = end ?? now
            return Double(end - min(start, end)) / 1e9
        }

        /// Returns the transaction's idle time within a period, in nanoseconds.
        ///
        /// The result is the longer of the period's overlaps with the longest gap between two
        /// statements and with the time after the last statement.
        func idle(from periodStart: UInt64, to periodEnd: UInt64) -> UInt64 {
            func overlap(from start: UInt64, until stop: UInt64) -> UInt64 {
                let first = max(start, periodStart)
                let last = min(stop, periodEnd)
                return last > first ? last - first : 0
            }
            let gapStart = longestGap.end - min(longestGap.length, longestGap.end)
            return max(
                overlap(from: gapStart, until: longestGap.end),
                overlap(from: lastEnd, until: end ?? periodEnd)
            )
        }
    }

    private(set) var openTransactions: [ConnectionKey: Transaction] = [:]
    /// The longest completed transactions, longest first.
    private(set) var longestTransactions: [Transaction] = []
    /// The most recent completed transactions that wrote, ordered by end time.
    private(set) var recentWriteTransactions: [Transaction] = []

    private static let longestLimit = 20
    private static let recentLimit = 1_024

    /// Records an execution.
    ///
    /// Executions must be recorded in order.
    mutating func add(_ execution: StatementExecution, sql: String?, kind: SQLStatementKind) {
        let key = ConnectionKey(process: execution.process, connection: execution.connection)
        let hasSucceeded = execution.result & 0xff == 0
        guard var transaction = openTransactions[key] else {
            guard !execution.isAutocommit else { return }
            var new = Transaction(key: key, start: execution.end, lastEnd: execution.end)
            new.lastSQL = sql
            if kind == .begin(.immediate) || kind == .begin(.exclusive) || kind.isWrite,
                hasSucceeded
            {
                new.writesSince = execution.end
            }
            // Tracing may start in the middle of a transaction.
            if !kind.beginsTransaction { new.statements = 1 }
            if kind == .other, hasSucceeded { new.firstRead = sql }
            openTransactions[key] = new
            return
        }
        let duration = StatementExecution.nanoseconds(execution.seconds ?? 0)
        let begin = execution.end - min(duration, execution.end)
        let gap = begin - min(transaction.lastEnd, begin)
        transaction.idle += gap
        if gap > transaction.longestGap.length {
            transaction.longestGap = (gap, begin)
            transaction.gapAfter = transaction.lastSQL
            transaction.gapBefore = sql
        }
        if kind == .other, hasSucceeded, transaction.writesSince == nil,
            transaction.firstRead == nil
        {
            transaction.firstRead = sql ?? "?"
        }
        transaction.statements += 1
        // Gaps must not overlap if the kernel's times are wrong.
        transaction.lastEnd = max(transaction.lastEnd, execution.end)
        // Do not show COMMIT or ROLLBACK as the last statement.
        if !execution.isAutocommit || kind.isWrite {
            transaction.lastSQL = sql
        }
        if kind.isWrite, hasSucceeded, transaction.writesSince == nil {
            transaction.writesSince = execution.end
        }
        if execution.isAutocommit {
            finish(transaction, at: execution.end)
        } else {
            openTransactions[key] = transaction
        }
    }

    mutating func end(process: Int32, at time: UInt64) {
        for transaction in openTransactions.values where transaction.key.process == process {
            finish(transaction, at: time)
        }
    }

    /// Ends the transaction of a closed connection, which SQLite rolls back.
    mutating func end(_ connection: ConnectionKey, at time: UInt64) {
        if let transaction = openTransactions[connection] { finish(transaction, at: time) }
    }

    /// Discards the open transactions, because their ends may be missing.
    mutating func forgetOpen(of process: Int32) {
        openTransactions = openTransactions.filter { $0.key.process != process }
    }

    private mutating func finish(_ transaction: Transaction, at time: UInt64) {
        openTransactions[transaction.key] = nil
        var ended = transaction
        ended.end = time
        if ended.writesSince != nil {
            recentWriteTransactions.append(ended)
            if recentWriteTransactions.count > 2 * Self.recentLimit {
                recentWriteTransactions.removeFirst(Self.recentLimit)
            }
        }
        let length = ended.seconds(at: time)
        if longestTransactions.count < Self.longestLimit
            || length > (longestTransactions.last?.seconds(at: time) ?? 0)
        {
            let index =
                longestTransactions.firstIndex { $0.seconds(at: time) < length }
                ?? longestTransactions.count
            longestTransactions.insert(ended, at: index)
            if longestTransactions.count > Self.longestLimit { longestTransactions.removeLast() }
        }
    }

    /// The longest delay of SQLite's busy handler, in nanoseconds.
    ///
    /// A wait can continue for this time after the blocking transaction ends.
    private static let longestPause: UInt64 = 110_000_000

    /// Returns the transaction of another connection that caused a wait.
    ///
    /// The transaction writes and overlaps at least half of the wait, including the end of the
    /// wait.
    func writer(from start: UInt64, to end: UInt64, except key: ConnectionKey) -> Transaction? {
        var best: (transaction: Transaction, overlap: UInt64)?
        let length = end - min(start, end)
        let lastStop = end - min(end, min(length / 2, Self.longestPause))
        func consider(_ transaction: Transaction) {
            guard transaction.key != key, let since = transaction.writesSince else { return }
            let stop = min(transaction.end ?? end, end)
            let begin = max(since, start)
            guard since <= end, stop >= begin, stop >= lastStop, stop - begin >= length / 2 else {
                return
            }
            let overlap = stop - begin
            if best == nil || overlap > (best?.overlap ?? 0) { best = (transaction, overlap) }
        }
        for transaction in openTransactions.values { consider(transaction) }
        for transaction in recentWriteTransactions.reversed() {
            // All earlier transactions ended before the wait.
            guard (transaction.end ?? end) >= start else { break }
            consider(transaction)
        }
        return best?.transaction
    }
}

/// A tracker that records how long statements wait for other connections.
struct BlockTracker {
    struct Block: Sendable {
        var end: UInt64
        var key: ConnectionKey
        var sql: String?
        /// The length of the wait, in nanoseconds.
        var length: UInt64
        var isUpperBound: Bool
        var failed: Bool
        /// Whether the statement failed at once because its transaction had read.
        var isUpgrade: Bool
        var isMainThread: Bool
        /// The blocking transaction at the end of the wait, or `nil` if unknown.
        var blocker: TransactionTracker.Transaction?
    }

    /// The waits with the same statements, processes, and outcome.
    struct Group: Sendable {
        var count: UInt64 = 0
        var length: UInt64 = 0
        var longest: Block
    }

    private struct GroupKey: Hashable {
        var sql: String?
        var process: Int32
        var failed: Bool
        var isUpgrade: Bool
        var blocker: Int32?
        var blockingSQL: String?
    }

    private(set) var blocks: [Block] = []
    private var groupsByKey: [GroupKey: Group] = [:]
    /// The end time of the last execution on each connection.
    private var lastEnd: [ConnectionKey: UInt64] = [:]

    private static let limit = 256
    private static let groupLimit = 1_024
    /// The result code of a write in a transaction whose snapshot is no longer the latest.
    private static let busySnapshot: Int32 = 517
    private static let connectionLimit = 1 << 14
    /// The shortest wait to record for a successful statement, in seconds.
    private static let minimumSeconds = 0.01

    /// Records an execution.
    ///
    /// Call this method before the transaction tracker records the execution.
    ///
    /// - Returns: The first read of the transaction if the execution failed because of it.
    @discardableResult
    mutating func add(
        _ execution: StatementExecution,
        sql: String?,
        _ transactions: TransactionTracker,
        beginsUnseen: Bool = false
    ) -> (isUpgrade: Bool, firstRead: String?) {
        let key = ConnectionKey(process: execution.process, connection: execution.connection)
        defer {
            if lastEnd.count > Self.connectionLimit { lastEnd = [:] }
            lastEnd[key] = execution.end
        }
        let waited = execution.secondsWaited ?? 0
        guard execution.isBusy || waited >= Self.minimumSeconds else { return (false, nil) }
        var length = StatementExecution.nanoseconds(waited)
        var isUpperBound = false
        if let seconds = execution.seconds, execution.isBusy {
            length = StatementExecution.nanoseconds(seconds)
        } else if execution.isBusy, execution.secondsWaited == nil, let last = lastEnd[key] {
            length = execution.end - min(last, execution.end)
            isUpperBound = true
        }
        let transaction = transactions.openTransactions[key]
        // SQLite does not call the busy handler in a transaction that has read and not written.
        let isUpgrade =
            execution.isBusy && waited == 0
            && (execution.result == Self.busySnapshot
                || transaction?.firstRead != nil && transaction?.writesSince == nil
                // The transaction began, and probably read, before tracing started.
                || transaction == nil && !execution.isAutocommit && beginsUnseen)
        if isUpgrade {
            length = 0
            isUpperBound = false
        }
        let start = execution.end - min(length, execution.end)
        let block = Block(
            end: execution.end,
            key: key,
            sql: sql,
            length: length,
            isUpperBound: isUpperBound,
            failed: execution.isBusy,
            isUpgrade: isUpgrade,
            isMainThread: execution.thread == execution.process,
            blocker: isUpgrade
                ? nil : transactions.writer(from: start, to: execution.end, except: key)
        )
        blocks.append(block)
        add(block)
        if blocks.count > 2 * Self.limit { blocks.removeFirst(Self.limit) }
        return (isUpgrade, isUpgrade ? transaction?.firstRead : nil)
    }

    private mutating func add(_ block: Block) {
        let key = GroupKey(
            sql: block.sql,
            process: block.key.process,
            failed: block.failed,
            isUpgrade: block.isUpgrade,
            blocker: block.blocker?.key.process,
            blockingSQL: block.blocker?.lastSQL
        )
        guard groupsByKey[key] != nil || groupsByKey.count < Self.groupLimit else { return }
        var group = groupsByKey[key] ?? Group(longest: block)
        group.count += 1
        group.length &+= block.length
        if block.length >= group.longest.length { group.longest = block }
        groupsByKey[key] = group
    }

    /// All waits in groups, longest total time first.
    var groups: [Group] {
        groupsByKey.values.sorted {
            ($0.length, $0.count, $1.longest.end) > ($1.length, $1.count, $0.longest.end)
        }
    }

    /// Discards the end times of the last executions.
    mutating func forget() { lastEnd = [:] }

    /// The latest waits, most recent first.
    var latest: [Block] { Array(blocks.suffix(Self.limit).reversed()) }
}
