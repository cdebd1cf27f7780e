import Findings
import Telemetry

/// One execution of a statement by another program, which probes on SQLite's functions or the library
/// in the program observed.
///
/// An execution ends when `sqlite3_step` returns no row, or when its statement is reset or
/// finalized.
public struct StatementExecution: Sendable, Equatable {
    /// The function that ended the execution.
    public enum Source: String, Sendable, Codable, Equatable {
        /// `sqlite3_step`, which returned `SQLITE_DONE` or an error.
        case step
        /// `sqlite3_reset` or `sqlite3_finalize`.
        case reset
    }

    /// The time at which the execution ended, in nanoseconds of `CLOCK_MONOTONIC`.
    public var end: UInt64
    /// The process ID.
    public var process: Int32
    /// The thread ID.
    public var thread: Int32
    /// The address of the connection in the process.
    ///
    /// Together with ``process``, this address identifies the connection.
    public var connection: UInt64
    /// The address of the statement in the process.
    public var statement: UInt64
    /// The function that ended the execution.
    public var source: Source
    /// The file of the connection's main database, or `nil` if it could not be read.
    ///
    /// The path is valid in the process, which may have a different root directory.
    public var database: String?
    /// The text of the statement, including its literals, or `nil` if it could not be read.
    ///
    /// `?` replaces the keys in `PRAGMA key`, `PRAGMA rekey`, and `ATTACH … KEY`.
    public var sql: String?
    /// The extended result code, or 0 if the execution succeeded or was reset early.
    public var result: Int32
    /// The result of `sqlite3_get_autocommit` after the execution, which is `false` inside an
    /// explicit transaction.
    public var isAutocommit: Bool
    /// The time spent in `sqlite3_step`, in seconds, or `nil` if the calls were not timed.
    public var seconds: Double?
    /// The time of the first call to `sqlite3_step`, in nanoseconds of `CLOCK_MONOTONIC`, or `nil`
    /// if the calls were not timed.
    public var start: UInt64?
    /// The time that the program spent outside the calls, from the first call to the end, in
    /// seconds, or `nil` if unknown.
    ///
    /// The time excludes the estimated cost of the probes. If the remaining time is shorter than
    /// this cost, the value is 0, because the estimate is not precise enough.
    public var secondsBetweenSteps: Double?
    /// The estimated time by which the trace delayed ``end``, from the first step on, in seconds.
    package var traceSeconds = 0.0
    /// The time that the busy handler waited, in seconds, or `nil` if unknown.
    ///
    /// For SQLite's built-in handler (`sqlite3_busy_timeout`), this is the sum of its delays in the
    /// last step.
    public var secondsWaited: Double?
    /// The number of returned rows, or `nil` if the calls were not timed.
    public var rows: UInt64?
    /// The number of executed instructions of SQLite's virtual machine.
    ///
    /// The value is `nil` for the first traced execution of a statement that was executed before
    /// tracing started.
    public var steps: UInt32?
    /// What SQLite counted in the execution, or `nil` if it is unknown, as ``steps`` can be.
    public var counters: WatchedCounters?
    /// Whether the connection has a busy handler, such as that of a busy timeout, or `nil` if unknown.
    package var hasBusyHandler: Bool?
    /// Whether the connection enforced foreign keys when its first statement ended, or `nil` if
    /// unknown.
    package var firstForeignKeys: Bool?
    /// The bound values in parameter order, or an empty array if values are not read.
    public var values: [StatementValue]

    /// Creates an execution.
    public init(
        end: UInt64,
        process: Int32,
        thread: Int32,
        connection: UInt64,
        statement: UInt64,
        source: Source,
        database: String? = nil,
        sql: String? = nil,
        result: Int32 = 0,
        isAutocommit: Bool = true,
        seconds: Double? = nil,
        start: UInt64? = nil,
        secondsBetweenSteps: Double? = nil,
        secondsWaited: Double? = nil,
        rows: UInt64? = nil,
        steps: UInt32? = nil,
        values: [StatementValue] = []
    ) {
        self.end = end
        self.process = process
        self.thread = thread
        self.connection = connection
        self.statement = statement
        self.source = source
        self.database = database
        self.sql = sql
        self.result = result
        self.isAutocommit = isAutocommit
        self.seconds = seconds
        self.start = start
        self.secondsBetweenSteps = secondsBetweenSteps
        self.secondsWaited = secondsWaited
        self.rows = rows
        self.steps = steps
        self.values = values
    }

    /// The time from the first call to the end, in seconds, or `nil` if the calls were not timed.
    public var elapsed: Double? { start.map { Double(end - min($0, end)) / 1e9 } }

    /// Whether the execution failed with `SQLITE_BUSY` or one of its extended result codes.
    public var isBusy: Bool { result & 0xff == 5 }
}

extension StatementExecution {
    /// Converts seconds to nanoseconds.
    ///
    /// Damaged records can contain arbitrary times, so the result is limited to a million
    /// seconds, which is about 11.6 days.
    static func nanoseconds(_ seconds: Double) -> UInt64 {
        seconds > 0 ? UInt64(min(seconds, 1e6) * 1e9) : 0
    }
}

/// A value that a program bound to a parameter of a statement.
public enum StatementValue: Sendable, Equatable {
    /// `NULL`, or a parameter without a value.
    case null
    /// An integer.
    case integer(Int64)
    /// A floating-point number.
    case real(Double)
    /// A string, truncated if it is long.
    case text(String)
    /// A blob that is not read, with its length in bytes.
    case blob(bytes: Int)
}

extension StatementValue: CustomStringConvertible {
    /// The value as an SQL literal, or the length of a blob.
    public var description: String {
        switch self {
        case .null: "NULL"
        case .integer(let value): String(value)
        case .real(let value): String(value)
        case .text(let text): text.quoted(by: "'")
        case .blob(let bytes): "a blob of \(bytes) bytes"
        }
    }
}
