/// A statement that traced programs have executed since tracing started.
public struct WatchedStatement: Sendable, Codable, Equatable {
    /// The statement, with its literals masked unless the user requested them.
    public var sql: String
    /// The number of executions.
    public var calls: UInt64
    /// The number of executions per second of traced time in the last interval.
    public var callsPerSecond: Double
    /// The number of returned rows, or `nil` if no executions were timed.
    ///
    /// The number is an estimate if only some executions were timed.
    public var rows: Double?
    /// The total time of all executions, in seconds, estimated like ``rows``.
    public var seconds: Double?
    /// The mean execution time, in seconds.
    public var mean: Double?
    /// Half the width of the mean's 95% confidence interval, or 0 if all executions were timed.
    public var meanError: Double?
    /// The number of timed executions.
    public var timed: UInt64
    /// The median execution time, in seconds.
    public var p50: Double?
    /// The 99th percentile of the execution time, in seconds.
    public var p99: Double?
    /// The number of executions that failed because another connection held a lock.
    public var busy: UInt64
    /// The number of executions that failed for another reason.
    public var failed: UInt64
    /// The number of failed executions by result code, most frequent first, or `nil` if there are
    /// none.
    public var failures: [WatchedFailure]?
    /// The number of executions that failed with `SQLITE_BUSY` at once because their transaction
    /// had read, or `nil` if there are none.
    ///
    /// SQLite does not wait in this case, because the other connection may wait for this one.
    public var upgrades: UInt64?
    /// The first statement of the last transaction in which this happened.
    public var upgradeAfter: String?
    /// The statement before runs of executions of this statement, or `nil` if there are none.
    public var repeated: WatchedRepetition?
    /// The total time that executions waited in the busy handler, in seconds.
    public var waited: Double
    /// The mean number of virtual-machine instructions per execution, or `nil` if unknown.
    public var steps: Double?
    /// What SQLite counted in the executions, or `nil` if it is unknown.
    public var counters: WatchedCounters?
    /// The processes that executed the statement.
    public var pids: [Int32]
    /// The bound values of the last execution, as literals, or `nil` if values are not read.
    public var values: [String]?
    /// The steps of the statement's query plan in a private, empty database with the same schema,
    /// or `nil` if there is no plan.
    public var plan: [String]?
    /// The table and columns of an index with which the plan scans or sorts less, such as
    /// `orders (user, state)`, or `nil` if none was found.
    public var proposedIndex: String?
    /// Whether calls, rates, and times are lower bounds because events were lost.
    public var isIncomplete: Bool
    /// Whether some processes were traced only in windows, so that ``calls`` covers only that time
    /// and ``callsPerSecond`` is an estimate.
    public var isSampled: Bool?
    /// The lower end of the 95% confidence interval of the number of executions, or `nil` if all
    /// were counted.
    public var leastCalls: Double?
    /// The upper end of the interval.
    public var mostCalls: Double?

    /// Creates a statement.
    public init(sql: String) {
        self.sql = sql
        calls = 0
        callsPerSecond = 0
        timed = 0
        busy = 0
        failed = 0
        waited = 0
        pids = []
        isIncomplete = false
    }
}

/// What SQLite counted in executions of a statement (`sqlite3_stmt_status`).
public struct WatchedCounters: Sendable, Codable, Equatable {
    /// The number of executions with known counters.
    public var runs: UInt64 = 0
    /// The number of these that were the first of a prepared statement.
    public var preparations: UInt64 = 0
    /// The number of rows that a scan of a whole table passed.
    public var fullScanSteps: UInt64 = 0
    /// The number of sorts.
    public var sorts: UInt64 = 0
    /// The number of rows added to indexes that exist only during the execution.
    public var automaticIndexRows: UInt64 = 0
    /// The number of times that SQLite prepared the statement again because the schema or a setting
    /// had changed.
    public var repreparations: UInt64 = 0
    /// The number of rows that a Bloom filter excluded, or `nil` if the version does not count them.
    public var filterHits: UInt64?

    /// Creates counters of zero.
    public init() {}

    /// Adds counters of further executions.
    package mutating func add(_ other: WatchedCounters) {
        runs &+= other.runs
        preparations &+= other.preparations
        fullScanSteps &+= other.fullScanSteps
        sorts &+= other.sorts
        automaticIndexRows &+= other.automaticIndexRows
        repreparations &+= other.repreparations
        if let hits = other.filterHits { filterHits = (filterHits ?? 0) &+ hits }
    }
}

/// The executions of a statement that failed with one result code.
public struct WatchedFailure: Sendable, Codable, Equatable {
    /// The name of the extended result code, such as `SQLITE_BUSY_SNAPSHOT`.
    public var code: String
    /// The number of executions.
    public var count: UInt64

    /// Creates a count.
    public init(code: String, count: UInt64) {
        self.code = code
        self.count = count
    }
}

/// Runs of executions of one statement on one connection, each after one other statement.
public struct WatchedRepetition: Sendable, Codable, Equatable {
    /// The statement before each run.
    public var after: String
    /// The number of runs.
    public var runs: UInt64
    /// The number of executions in these runs.
    public var calls: UInt64

    /// Creates a count.
    public init(after: String, runs: UInt64, calls: UInt64) {
        self.after = after
        self.runs = runs
        self.calls = calls
    }
}

/// An explicit transaction of a traced program.
public struct WatchedTransaction: Sendable, Codable, Equatable {
    /// The process ID.
    public var pid: Int32
    /// The name of the program.
    public var name: String?
    /// The address of the connection in the process, as hexadecimal digits.
    public var connection: String
    /// Whether the transaction is open.
    public var open: Bool
    /// Whether the transaction has written or started as a write transaction.
    public var writes: Bool
    /// The duration so far, in seconds.
    public var seconds: Double
    /// The number of statements, excluding BEGIN.
    public var statements: UInt64
    /// The time between the transaction's statements, in seconds, including unknown execution
    /// times.
    public var idleSeconds: Double
    /// The longest time between two statements, in seconds.
    public var longestGapSeconds: Double
    /// The statement before that time.
    public var gapAfter: String?
    /// The statement after that time, or `nil` while it lasts.
    public var gapBefore: String?
    /// The text of the last statement, formatted like ``WatchedStatement/sql``.
    public var sql: String?
    /// The time since the end of that statement, in seconds, or `nil` if the transaction has ended.
    public var secondsSinceStatement: Double?

    /// Creates a transaction.
    public init(pid: Int32, connection: String) {
        self.pid = pid
        self.connection = connection
        open = false
        writes = false
        seconds = 0
        statements = 0
        idleSeconds = 0
        longestGapSeconds = 0
    }
}

/// The statement that a traced process is executing, or the last one that it executed.
public struct WatchedCurrentStatement: Sendable, Codable, Equatable {
    /// The process ID.
    public var pid: Int32
    /// The statement, formatted like ``WatchedStatement/sql``.
    public var sql: String
    /// Whether the statement is running.
    ///
    /// This is known only for `sqlite3_exec` and for statements with traced steps.
    public var isRunning: Bool
    /// The time since the start of a running statement, or since the end of a completed statement,
    /// in seconds.
    public var seconds: Double
    /// Whether ``seconds`` is only a lower bound, because the statement began before the process was
    /// traced.
    public var isLowerBound: Bool?

    /// Creates a statement.
    public init(
        pid: Int32,
        sql: String,
        isRunning: Bool,
        seconds: Double,
        isLowerBound: Bool? = nil
    ) {
        self.pid = pid
        self.sql = sql
        self.isRunning = isRunning
        self.seconds = seconds
        self.isLowerBound = isLowerBound
    }
}

/// A statement of a traced program that waited for another connection.
public struct WatchedBlock: Sendable, Codable, Equatable {
    /// The connection that blocked the statement.
    public struct Blocker: Sendable, Codable, Equatable {
        /// The process ID.
        public var pid: Int32
        /// The name of the program.
        public var name: String?
        /// The last statement in the blocking transaction, or `nil` if the connection was not
        /// traced.
        public var sql: String?
        /// The age of the blocking transaction, in seconds, or `nil` if the connection was not
        /// traced.
        public var transactionSeconds: Double?
        /// The part of the wait during which the blocker executed no statement, in seconds, or
        /// `nil` if the connection was not traced.
        public var idleSeconds: Double?
        /// The longest time between two statements of the transaction, in seconds.
        public var longestGapSeconds: Double?
        /// The statement before that time.
        public var gapAfter: String?
        /// The statement after that time.
        public var gapBefore: String?
        /// Whether the blocker is known only as the lock holder.
        public var isInferred: Bool

        /// Creates a blocker.
        public init(pid: Int32, isInferred: Bool) {
            self.pid = pid
            self.isInferred = isInferred
        }
    }

    /// The time at which the wait ended.
    public var time: WatchTime
    /// The ID of the waiting process.
    public var pid: Int32
    /// The name of the program.
    public var name: String?
    /// The waiting statement, formatted like ``WatchedStatement/sql``.
    public var sql: String?
    /// The duration of the wait, in seconds.
    public var seconds: Double
    /// Whether ``seconds`` is only an upper bound: the time since the connection's last statement.
    public var isUpperBound: Bool
    /// Whether the statement failed with `SQLITE_BUSY`.
    public var failed: Bool
    /// Whether the statement failed at once because its transaction had read.
    public var isUpgrade: Bool?
    /// Whether the thread that waited is the main thread of its process.
    public var isMainThread: Bool?
    /// The blocking connection, or `nil` if unknown.
    public var by: Blocker?

    /// Creates a wait.
    public init(time: WatchTime, pid: Int32, seconds: Double, failed: Bool) {
        self.time = time
        self.pid = pid
        self.seconds = seconds
        self.failed = failed
        isUpperBound = false
    }
}

/// The lock waits with the same waiting and blocking processes, the same statements, and the same
/// outcome, since tracing started.
public struct WatchedWaits: Sendable, Codable, Equatable {
    /// The number of waits.
    public var count: UInt64
    /// The total time of the waits, in seconds.
    public var seconds: Double
    /// The longest wait.
    public var longest: WatchedBlock

    /// Creates a group.
    public init(count: UInt64, seconds: Double, longest: WatchedBlock) {
        self.count = count
        self.seconds = seconds
        self.longest = longest
    }

    var mean: Double { seconds / Double(max(count, 1)) }
    var pid: Int32 { longest.pid }
    var sql: String? { longest.sql }
    var by: WatchedBlock.Blocker? { longest.by }
    /// Whether the statement failed at once, although its transaction had not read.
    var failedAtOnce: Bool { longest.failed && !longest.isUpperBound && mean < 0.002 }
}

/// Details about statement tracing.
public struct WatchedTracing: Sendable, Codable, Equatable {
    /// A program without visible statements.
    public struct Hidden: Sendable, Codable, Equatable {
        /// The process ID.
        public var pid: Int32
        /// The name of the program.
        public var name: String?
        /// The reason why the program's statements are not visible.
        public var reason: String

        /// Creates a description of a hidden program.
        public init(pid: Int32, name: String?, reason: String) {
            self.pid = pid
            self.name = name
            self.reason = reason
        }
    }

    /// A process that was traced only in windows, because it would lose too much of its time.
    public struct Sampled: Sendable, Codable, Equatable {
        /// The process ID.
        public var pid: Int32
        /// The name of the program.
        public var name: String?
        /// The time with probes, in seconds.
        public var attachedSeconds: Double
        /// The time since the process was first traced, in seconds.
        public var seconds: Double
        /// The share of its time that a thread lost while the process had probes, from 0 to 1.
        public var share: Double

        /// Creates a description of a process.
        public init(
            pid: Int32,
            name: String?,
            attachedSeconds: Double,
            seconds: Double,
            share: Double
        ) {
            self.pid = pid
            self.name = name
            self.attachedSeconds = attachedSeconds
            self.seconds = seconds
            self.share = share
        }
    }

    /// The level, which is always `full`.
    public var level: String
    /// The source of the executions: ``agentSource``, or `nil` for probes.
    public var source: String?
    /// The source that is a library in the programs, which Poolgauge has started.
    public static let agentSource = "agent"
    /// The time since tracing started, in seconds.
    public var seconds: Double
    /// The libraries with probes.
    public var libraries: [String]
    /// The IDs of the traced processes that use the watched database.
    public var pids: [Int32]
    /// The number of processes with probes, which slow down no other process.
    public var processesSlowed: Int
    /// The time that a program loses per event, in seconds, measured when tracing started.
    public var secondsPerEvent: Double?
    /// By which part the work of the program that the probes slow most takes longer, as a mean over
    /// the time since it was first traced.
    ///
    /// While it has probes, a program that has them only in windows is slowed more.
    public var share: Double
    /// The number of lost events.
    ///
    /// If events were lost, all counts are lower bounds.
    public var lost: UInt64
    /// The number of events read so far.
    public var events: UInt64
    /// The number of executions with unreadable SQL.
    public var unknownTexts: UInt64
    /// The number of executions on other databases, which are not shown.
    public var otherExecutions: UInt64
    /// The number of executions inside a step of another statement, such as those of a full-text
    /// index, which are part of that statement.
    public var nestedExecutions: UInt64?
    /// The processes that were traced only in windows.
    public var sampled: [Sampled]?
    /// The programs that use the database but have no visible statements.
    public var notVisible: [Hidden]
    /// The limitations of the trace.
    public var notes: [String]

    /// Creates a description.
    public init(level: String) {
        self.level = level
        seconds = 0
        libraries = []
        pids = []
        processesSlowed = 0
        share = 0
        lost = 0
        events = 0
        unknownTexts = 0
        otherExecutions = 0
        notVisible = []
        notes = []
    }
}
