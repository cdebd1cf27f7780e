import WorkloadEngine

/// An execution of a statement, from a trace or a log.
package struct CapturedExecution: Sendable, Equatable {
    /// The time when the execution ended, in seconds from an origin that all executions share.
    package var end: Double
    package var process: Int
    /// The name of the connection that executed the statement, unique within its process.
    package var connection: String
    /// The statement, with its parameters or with literals.
    package var sql: String
    /// The result code (<https://sqlite.org/rescode.html>), where 0, 100, and 101 mean success.
    package var code: Int
    /// Whether the connection is outside a transaction after the execution, or `nil` if unknown.
    package var autocommit: Bool?
    /// The duration, in seconds, or `nil` if only the end or only the start is known.
    package var seconds: Double?
    /// The time from the first step to the end, in seconds, or `nil` if it equals ``seconds``.
    package var elapsed: Double?
    /// The time that the program spent between the steps, in seconds.
    package var betweenSteps: Double
    /// The time that the execution waited for a lock, in seconds.
    ///
    /// This time is used if the duration is unknown.
    package var waited: Double?
    /// The number of returned rows, or `nil` if unknown.
    package var rows: Int?
    /// The values of the parameters, in order of first appearance, or an empty array if unknown.
    package var values: [WorkloadValue]
    /// The line in the file, or `nil` for a live trace.
    package var line: Int?
    /// The estimated time by which a trace delayed ``end``, in seconds.
    package var traceSeconds = 0.0
    /// The number of the continuously recorded period, between which executions are missing.
    var piece = 0

    package init(
        end: Double,
        process: Int = 0,
        connection: String = "1",
        sql: String,
        code: Int = 0,
        autocommit: Bool? = nil,
        seconds: Double? = nil,
        elapsed: Double? = nil,
        betweenSteps: Double = 0,
        waited: Double? = nil,
        rows: Int? = nil,
        values: [WorkloadValue] = [],
        line: Int? = nil
    ) {
        self.end = end
        self.process = process
        self.connection = connection
        self.sql = sql
        self.code = code
        self.autocommit = autocommit
        self.seconds = seconds
        self.elapsed = elapsed
        self.betweenSteps = betweenSteps
        self.waited = waited
        self.rows = rows
        self.values = values
        self.line = line
    }

    /// The process and name of the connection.
    var connectionName: String { "\(process)/\(connection)" }

    /// The start time, or the start of the wait for locks if the duration is unknown.
    package var start: Double { end - (seconds ?? waited ?? 0) }

    /// Returns the time, in seconds, that the program itself spent since the end of an earlier
    /// execution.
    ///
    /// This is the time before the first step and between steps, without the cost of a trace. If
    /// other statements ran between the steps, their time and the gaps before them are excluded.
    func gap(since end: Double) -> Double {
        if firstStep >= end { return firstStep - end + betweenSteps }
        return max(0, start - end)
    }

    /// The start of the first step, which precedes ``start`` if the program spent time between
    /// steps.
    var firstStep: Double { elapsed.map { end - $0 } ?? start }

    /// Whether the execution succeeded: `SQLITE_OK`, `SQLITE_ROW`, or `SQLITE_DONE`.
    package var succeeded: Bool { [0, 100, 101].contains(code) }

    /// Whether the execution failed because of a lock: `SQLITE_BUSY` or `SQLITE_LOCKED`.
    package var wasBusy: Bool { [5, 6].contains(code & 0xff) }
}
