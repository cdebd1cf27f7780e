import Telemetry

/// The busy handler's calls during a statement that failed with `SQLITE_BUSY`.
package struct LockWait: Sendable, Equatable {
    /// Whether the handler stopped retrying.
    ///
    /// The value is `false` if SQLite did not call the handler because waiting could cause a
    /// deadlock. For example, a transaction that has read may try to write while another connection
    /// writes (<https://sqlite.org/c3ref/busy_handler.html>).
    package var didStopRetrying = false
    /// The time from the first call to the last call, in nanoseconds.
    package var nanoseconds: UInt64 = 0
    /// The time of the first call, in nanoseconds on the monotonic clock.
    var start: UInt64 = 0
    /// The handler's timeout in nanoseconds, or `nil` if a callback decides whether to retry.
    package var timeout: UInt64?

    package init() {}

    init(startedAt start: UInt64) { self.start = start }

    mutating func stopRetrying() {
        didStopRetrying = true
        nanoseconds = monotonicNanoseconds() &- start
    }
}
