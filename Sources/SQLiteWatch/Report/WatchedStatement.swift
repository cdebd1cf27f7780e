/// A statement that traced programs executed, since tracing began.
public struct WatchedStatement: Sendable, Codable, Equatable {
    /// The statement, with its literals masked unless they were asked for.
    public var sql: String
    /// Its executions.
    public var calls: UInt64
    /// Its executions per second in the last interval.
    public var callsPerSecond: Double
    /// The rows that it returned; an estimate where only some executions were timed, nil where none
    /// was.
    public var rows: Double?
    /// The time of all executions, in seconds, as ``rows``.
    public var seconds: Double?
    /// The mean time of an execution, in seconds.
    public var mean: Double?
    /// Half the width of the mean's confidence interval of 95 %; 0 where all were timed.
    public var meanError: Double?
    /// The executions that were timed.
    public var timed: UInt64
    /// The time that half of the executions do not exceed, in seconds.
    public var p50: Double?
    /// The time that 99 % of the executions do not exceed, in seconds.
    public var p99: Double?
    /// Executions that failed because another connection held a lock.
    public var busy: UInt64
    /// Executions that failed for another reason.
    public var failed: UInt64
    /// The seconds that executions waited in the busy handler.
    public var waited: Double
    /// Instructions of SQLite's virtual machine in an execution, on average; nil where unknown.
    public var steps: Double?
    /// The processes that executed it.
    public var pids: [Int32]
    /// The bound values of its last execution, as literals; nil unless values are read.
    public var values: [String]?
    /// The steps of its plan in a private empty database with the same schema; nil where it has
    /// none.
    public var plan: [String]?
    /// Whether events were lost: calls, rates and times are then lower bounds.
    public var isIncomplete: Bool

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

/// An explicit transaction of a traced program.
public struct WatchedTransaction: Sendable, Codable, Equatable {
    /// The process.
    public var pid: Int32
    /// The name of its program.
    public var name: String?
    /// The address of its connection in the process, as hexadecimal digits.
    public var connection: String
    /// Whether it has not ended.
    public var open: Bool
    /// Whether it has written, or began in order to write.
    public var writes: Bool
    /// How long it has been open, or was, in seconds.
    public var seconds: Double
    /// The statements in it, without its begin.
    public var statements: UInt64
    /// The seconds between its statements; with an execution's own time where that is not known.
    public var idleSeconds: Double
    /// The longest of these gaps, in seconds.
    public var longestGapSeconds: Double
    /// The last statement, as ``WatchedStatement/sql``.
    public var sql: String?
    /// How long ago that statement ended, in seconds; nil when the transaction has ended.
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

/// The statement that a traced process executes, or executed last.
public struct WatchedCurrentStatement: Sendable, Codable, Equatable {
    /// The process.
    public var pid: Int32
    /// The statement, as ``WatchedStatement/sql``.
    public var sql: String
    /// Whether it is under way: known of `sqlite3_exec`, and of statements whose steps are traced.
    public var isRunning: Bool
    /// The seconds since its start, or since its end.
    public var seconds: Double

    /// Creates a statement.
    public init(pid: Int32, sql: String, isRunning: Bool, seconds: Double) {
        self.pid = pid
        self.sql = sql
        self.isRunning = isRunning
        self.seconds = seconds
    }
}

/// A statement of a traced program that waited for another connection.
public struct WatchedBlock: Sendable, Codable, Equatable {
    /// The connection that it waited for.
    public struct Blocker: Sendable, Codable, Equatable {
        /// The process.
        public var pid: Int32
        /// The name of its program.
        public var name: String?
        /// The last statement in its transaction; nil where it was not traced.
        public var sql: String?
        /// How long its transaction had been open, in seconds; nil where it was not traced.
        public var transactionSeconds: Double?
        /// How long of the wait it executed no statement, in seconds; nil as above.
        public var idleSeconds: Double?
        /// Whether it is known only as the holder of the lock.
        public var isInferred: Bool

        /// Creates a blocker.
        public init(pid: Int32, isInferred: Bool) {
            self.pid = pid
            self.isInferred = isInferred
        }
    }

    /// When the wait ended.
    public var time: WatchTime
    /// The process that waited.
    public var pid: Int32
    /// The name of its program.
    public var name: String?
    /// Its statement, as ``WatchedStatement/sql``.
    public var sql: String?
    /// How long it waited, in seconds.
    public var seconds: Double
    /// Whether `seconds` is an upper bound: the time since the connection's last statement.
    public var isUpperBound: Bool
    /// Whether it failed with `SQLITE_BUSY`.
    public var failed: Bool
    /// Whom it waited for; nil where that is not known.
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

/// How statements were traced.
public struct WatchedTracing: Sendable, Codable, Equatable {
    /// A program whose statements are not visible.
    public struct Hidden: Sendable, Codable, Equatable {
        /// The process.
        public var pid: Int32
        /// The name of its program.
        public var name: String?
        /// Why its statements are not visible.
        public var reason: String

        /// Creates one.
        public init(pid: Int32, name: String?, reason: String) {
            self.pid = pid
            self.name = name
            self.reason = reason
        }
    }

    /// `light`, `timed` or `full`.
    public var level: String
    /// Seconds since tracing began.
    public var seconds: Double
    /// The libraries with probes.
    public var libraries: [String]
    /// The processes that use the watched database and are traced.
    public var pids: [Int32]
    /// All processes that map these libraries: the probes slow each of them.
    public var processesSlowed: Int
    /// The cost of an event for a program, in seconds, as measured at the start.
    public var secondsPerEvent: Double?
    /// The largest share of a program's time that events took in the last interval, at most: all
    /// events, counted as those of one thread.
    public var share: Double
    /// Events that were lost: if any were, all counts are lower bounds.
    public var lost: UInt64
    /// Events read.
    public var events: UInt64
    /// Executions whose text could not be read.
    public var unknownTexts: UInt64
    /// Executions on other databases, which are not shown.
    public var otherExecutions: UInt64
    /// The programs that use the database and are not visible.
    public var notVisible: [Hidden]
    /// What limits the trace.
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
