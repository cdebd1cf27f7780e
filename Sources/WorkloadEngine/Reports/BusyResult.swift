/// A run's `SQLITE_BUSY` failures and blocked checkpoints, grouped by cause.
public struct BusyResult: Sendable, Codable, Equatable {
    /// The groups, starting with the most frequent.
    public var groups: [Group]
    /// The number of failures that are not listed in a group, because there were too many groups.
    public var others: UInt64

    /// Failures with the same cause, client, code and statement.
    public struct Group: Sendable, Codable, Equatable {
        /// The cause.
        public var cause: BusyCause
        /// The client whose accesses failed.
        public var client: String
        /// The extended result code's name; absent for a checkpoint that reported a lock.
        public var code: String?
        /// The SQL that failed; absent if the library does not report it.
        public var statement: String?
        /// The number of failures, with and without a retry.
        public var count: UInt64
        /// The number of failures after which the access was retried.
        public var retried: UInt64
        /// The sum of the waits before the failures, in nanoseconds; absent if unknown.
        public var waited: UInt64?
        /// The longest wait, in nanoseconds; absent if unknown.
        public var longestWait: UInt64?
        /// The number of times that each client or process held the lock.
        ///
        /// `unknown` counts failures whose holder is unknown.
        ///
        /// For a failed upgrade, the holder is the client that wrote in the meantime.
        public var holders: [String: UInt64]
        /// A remedy for these failures.
        public var remedy: String
    }
}
