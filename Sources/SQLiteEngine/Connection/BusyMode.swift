import Foundation

extension Database {
    /// The action of a connection when another connection holds a lock on the file.
    public enum BusyMode: Sendable {
        /// Fails immediately with `SQLITE_BUSY`.
        case immediateError
        /// Retries for this many seconds, then fails with `SQLITE_BUSY`.
        case timeout(TimeInterval)
        /// Calls a closure, with the number of attempts so far, that returns whether to retry.
        case callback(BusyCallback)
    }

    /// Returns whether to retry, given the number of attempts so far.
    public typealias BusyCallback = @Sendable (_ numberOfTries: Int) -> Bool
}
