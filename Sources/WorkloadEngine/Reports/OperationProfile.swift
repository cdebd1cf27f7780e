/// SQLite's profile of an operation, with query plans and the counters for one execution.
///
/// The operation is profiled once, after the load, on the data that the load left. Its writes are
/// rolled back. The profile shows whether slow accesses are due to the queries or the pool.
public struct OperationProfile: Sendable, Codable, Equatable {
    /// The output of `EXPLAIN QUERY PLAN` for each statement, in order.
    public var plans: [Plan] = []
    /// The sum of the counters of all statements, or `nil` if the statements were not run.
    public var counters: Counters?
    /// Why parts are missing, or `nil` if the profile is complete.
    public var note: String?

    /// Creates an empty profile.
    public init() {}

    /// How SQLite executes a statement.
    public struct Plan: Sendable, Codable, Equatable {
        /// The statement.
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
