import WorkloadEngine

/// One execution of a statement, from a trace or a log.
package struct CapturedExecution: Sendable, Equatable {
    /// The time of its end, in seconds from an origin that all executions share.
    package var end: Double
    /// The process that ran it.
    package var process: Int
    /// The connection that ran it; unique within its process.
    package var connection: String
    /// The statement, with its parameters or with literals.
    package var sql: String
    /// The result code (<https://sqlite.org/rescode.html>); 0, 100 and 101 mean success.
    package var code: Int
    /// Whether the connection is outside a transaction afterward, or nil if unknown.
    package var autocommit: Bool?
    /// Its duration, in seconds, or nil if only its end or only its start is known.
    package var seconds: Double?
    /// How long it waited for a lock, in seconds; used if its duration is unknown.
    package var waited: Double?
    /// The number of rows that it returned, or nil if unknown.
    package var rows: Int?
    /// The values of its parameters, in the order of their first appearance; empty if unknown.
    package var values: [WorkloadValue]
    /// Its line in the file, or nil for a live trace.
    package var line: Int?

    /// Creates an execution.
    package init(
        end: Double,
        process: Int = 0,
        connection: String = "1",
        sql: String,
        code: Int = 0,
        autocommit: Bool? = nil,
        seconds: Double? = nil,
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
        self.waited = waited
        self.rows = rows
        self.values = values
        self.line = line
    }

    /// The start time, or the start of its wait for locks if its duration is unknown.
    package var start: Double { end - (seconds ?? waited ?? 0) }

    /// Whether it succeeded: `SQLITE_OK`, `SQLITE_ROW` or `SQLITE_DONE`.
    package var succeeded: Bool { [0, 100, 101].contains(code) }

    /// Whether it failed because of another connection's lock: `SQLITE_BUSY` or `SQLITE_LOCKED`.
    package var wasBusy: Bool { [5, 6].contains(code & 0xff) }
}
