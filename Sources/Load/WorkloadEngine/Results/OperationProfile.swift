/// SQLite's profile of an operation, with query plans and the counters for one execution.
///
/// After the load, the operation is profiled once on the resulting data, and its writes are
/// rolled back. The profile shows whether queries or waits make accesses slow.
public struct OperationProfile: Sendable, Codable, Equatable {
    /// The output of `EXPLAIN QUERY PLAN` for each statement, in order.
    public var plans: [Plan] = []
    /// The total counters of all statements, or `nil` if the statements were not run.
    public var counters: Counters?
    /// The reason that parts are missing, or `nil` if the profile is complete.
    public var note: String?

    /// Creates an empty profile.
    public init() {}

    /// The query plan of a statement.
    public struct Plan: Sendable, Codable, Equatable {
        /// The SQL text.
        public var sql: String
        /// The lines of `EXPLAIN QUERY PLAN`, with nested lines indented by two spaces.
        public var lines: [String]

        /// Creates a plan.
        public init(sql: String, lines: [String]) {
            self.sql = sql
            self.lines = lines
        }
    }

    /// SQLite's counters for one execution.
    ///
    /// See <https://sqlite.org/c3ref/c_stmtstatus_counter.html> and
    /// <https://sqlite.org/c3ref/c_dbstatus_options.html>.
    public struct Counters: Sendable, Codable, Equatable {
        /// The number of rows that the statements returned.
        public var rows: Int = 0
        /// The number of forward steps in full table scans.
        public var fullScanSteps: Int = 0
        /// The number of sorts.
        public var sorts: Int = 0
        /// The number of rows inserted into automatic indexes.
        public var automaticIndexes: Int = 0
        /// The number of virtual machine instructions.
        public var vmSteps: Int = 0
        /// The number of page reads served from the connection's page cache.
        public var cacheHits: Int = 0
        /// The number of page reads not served from the connection's page cache.
        public var cacheMisses: Int = 0
        /// The number of changed pages written before the commit because the cache was full.
        public var cacheSpills: Int = 0

        /// Creates counters that are all zero.
        public init() {}
    }
}
