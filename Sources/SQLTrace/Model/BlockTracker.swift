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
        /// The blocking transaction at the end of the wait, or `nil` if unknown.
        var blocker: TransactionTracker.Transaction?
    }

    private(set) var blocks: [Block] = []
    /// The end time of the last execution on each connection.
    private var lastEnd: [ConnectionKey: UInt64] = [:]

    private static let limit = 256
    private static let connectionLimit = 1 << 14
    /// The shortest wait to record for a successful statement, in seconds.
    private static let minimumSeconds = 0.01

    /// Records an execution.
    ///
    /// Call this method before the transaction tracker records the execution.
    mutating func add(
        _ execution: StatementExecution,
        sql: String?,
        _ transactions: TransactionTracker
    ) {
        let key = ConnectionKey(process: execution.process, connection: execution.connection)
        defer {
            if lastEnd.count > Self.connectionLimit { lastEnd = [:] }
            lastEnd[key] = execution.end
        }
        let waited = execution.secondsWaited ?? 0
        guard execution.isBusy || waited >= Self.minimumSeconds else { return }
        var length = StatementExecution.nanoseconds(waited)
        var isUpperBound = false
        if let seconds = execution.seconds, execution.isBusy {
            length = StatementExecution.nanoseconds(seconds)
        } else if execution.isBusy, execution.secondsWaited == nil, let last = lastEnd[key] {
            length = execution.end - min(last, execution.end)
            isUpperBound = true
        }
        let start = execution.end - min(length, execution.end)
        let blocker = transactions.writer(from: start, to: execution.end, except: key)
        blocks.append(
            Block(
                end: execution.end,
                key: key,
                sql: sql,
                length: length,
                isUpperBound: isUpperBound,
                failed: execution.isBusy,
                blocker: blocker
            )
        )
        if blocks.count > 2 * Self.limit { blocks.removeFirst(Self.limit) }
    }

    /// Discards the end times of the last executions.
    mutating func forget() { lastEnd = [:] }

    /// The latest waits, most recent first.
    var latest: [Block] { Array(blocks.suffix(Self.limit).reversed()) }
}
