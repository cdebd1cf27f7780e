import Foundation

extension Database {
    /// The behavior of a connection when another connection holds a lock on the file.
    public enum BusyMode: Sendable {
        /// Fails immediately with `SQLITE_BUSY`.
        case immediateError
        /// Retries for the given number of seconds, then fails with `SQLITE_BUSY`.
        case timeout(TimeInterval)
        /// Calls a closure that returns whether to retry.
        case callback(BusyCallback)
    }

    /// A closure that returns whether to retry, given the number of attempts so far.
    public typealias BusyCallback = @Sendable (_ numberOfTries: Int) -> Bool
}
