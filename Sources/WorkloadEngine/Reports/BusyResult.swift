/// A run's `SQLITE_BUSY` failures and blocked checkpoints, grouped by cause.
public struct BusyResult: Sendable, Codable, Equatable {
    /// The groups, most frequent first.
    public var groups: [Group]
    /// The number of failures without a group because there were too many groups.
    public var others: UInt64

    /// Failures with the same cause, client, code, and statement.
    public struct Group: Sendable, Codable, Equatable {
        /// The cause.
        public var cause: BusyCause
        /// The client whose accesses failed.
        public var client: String
        /// The name of the extended result code, or `nil` for a checkpoint that reported a lock.
        public var code: String?
        /// The SQL that failed, or `nil` if the library does not report it.
        public var statement: String?
        /// The number of failures, whether or not the access was retried.
        public var count: UInt64
        /// The number of failures after which the access was retried.
        public var retried: UInt64
        /// The sum of the waits before the failures, in nanoseconds, or `nil` if unknown.
        public var waited: UInt64?
        /// The longest wait, in nanoseconds, or `nil` if unknown.
        public var longestWait: UInt64?
        /// The number of times that each client or process held the lock.
        ///
        /// `unknown` counts the failures whose holder is unknown.
        ///
        /// For a failed upgrade, the holder is the client that wrote after the failed transaction
        /// had read.
        public var holders: [String: UInt64]
        /// A remedy for these failures.
        public var remedy: String
    }
}
