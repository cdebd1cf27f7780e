/// The failures of a run with `SQLITE_BUSY`, and its blocked checkpoints, by cause.
public struct BusyResult: Sendable, Codable, Equatable {
    /// The groups, most frequent first.
    public var groups: [Group]
    /// The number of failures that belong to none of the groups, because there were too many.
    public var others: UInt64

    /// Failures with the same cause, client, code and statement.
    public struct Group: Sendable, Codable, Equatable {
        /// The cause.
        public var cause: BusyCause
        /// The client whose accesses failed.
        public var client: String
        /// The name of the extended result code; absent for a checkpoint that reported a lock.
        public var code: String?
        /// The SQL that failed; absent if the library does not report it.
        public var statement: String?
        /// The number of failures; a retry may have followed a failure.
        public var count: UInt64
        /// The number of failures that a retry of the access followed.
        public var retried: UInt64
        /// The sum of the waits before the failures, in nanoseconds; absent if unknown.
        public var waited: UInt64?
        /// The longest wait, in nanoseconds; absent if unknown.
        public var longestWait: UInt64?
        /// The clients and processes that held the lock, with the number of times; `unknown` counts
        /// failures whose holder is unknown.
        ///
        /// For a failed upgrade, the holder is the client that wrote meanwhile.
        public var holders: [String: UInt64]
        /// What prevents these failures.
        public var remedy: String
    }
}
