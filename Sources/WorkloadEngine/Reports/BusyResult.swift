/// A run's `SQLITE_BUSY` failures and blocked checkpoints, grouped by cause.
public struct BusyResult: Sendable, Codable, Equatable {
    /// The groups, most frequent first.
    public var groups: [Group]
    /// The number of failures omitted from ``groups`` because there were too many groups.
    public var others: UInt64

    /// Failures with the same cause, client, code, and statement.
    public struct Group: Sendable, Codable, Equatable {
        /// The cause.
        public var cause: BusyCause
        /// The client with the failed accesses.
        public var client: String
        /// The name of the extended result code, or `nil` for a checkpoint that reported a lock.
        public var code: String?
        /// The SQL that failed, or `nil` if the library does not report it.
        public var statement: String?
        /// The number of failures, including failures of retried accesses.
        public var count: UInt64
        /// The number of failures after which the access was retried.
        public var retried: UInt64
        /// The total wait before the failures, in nanoseconds, or `nil` if unknown.
        public var waited: UInt64?
        /// The longest wait, in nanoseconds, or `nil` if unknown.
        public var longestWait: UInt64?
        /// The busy timeout, in nanoseconds, or `nil` if unknown.
        public var timeout: UInt64?
        /// The number of failures for each client or process that held the lock.
        ///
        /// The key `unknown` counts failures with an unknown holder. For a failed upgrade, the
        /// holder is the client that wrote after the failed transaction read.
        public var holders: [String: UInt64]
        /// A remedy for these failures.
        public var remedy: String
    }
}
