import Foundation

extension Database {
    /// What happens when another connection holds a lock on the file.
    public enum BusyMode: Sendable {
        /// `SQLITE_BUSY` at once.
        case immediateError
        /// Tries for this many seconds, then `SQLITE_BUSY`.
        case timeout(TimeInterval)
        /// Asks a closure, with the number of tries so far, whether to try again.
        case callback(BusyCallback)
    }

    /// Answers whether to try again, given the number of tries so far.
    public typealias BusyCallback = @Sendable (_ numberOfTries: Int) -> Bool
}
