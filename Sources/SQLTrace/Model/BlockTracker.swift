/// A tracker that records how long statements wait for other connections.
struct BlockTracker {
    struct Block: Sendable, Equatable {
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
