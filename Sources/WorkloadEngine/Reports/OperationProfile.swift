/// SQLite's profile of one operation: the query plans, and the counters of one execution.
///
/// It is taken once, after the load, on the resulting data; its writes are rolled back. It shows
/// whether the queries, rather than the pool, are slow.
public struct OperationProfile: Sendable, Codable, Equatable {
    /// The output of `EXPLAIN QUERY PLAN` for each statement, in order.
    public var plans: [Plan] = []
    /// The counters over all statements; absent if the statements were not run.
    public var counters: Counters?
    /// Why parts are missing; absent if the profile is complete.
    public var note: String?

    /// Creates an empty profile.
    public init() {}

    /// How SQLite executes a statement.
    public struct Plan: Sendable, Codable, Equatable {
        /// The statement.
        public var sql: String
        /// The lines of `EXPLAIN QUERY PLAN`; nested lines are indented by two spaces.
        public var lines: [String]

        /// Creates a plan.
        public init(sql: String, lines: [String]) {
            self.sql = sql
            self.lines = lines
        }
    }

    /// SQLite's counters (https://sqlite.org/c3ref/c_stmtstatus_counter.html and
    /// https://sqlite.org/c3ref/c_dbstatus_options.html).
    public struct Counters: Sendable, Codable, Equatable {
        /// The rows that the statements returned.
        public var rows: Int = 0
        /// Steps forward in full table scans.
        public var fullScanSteps: Int = 0
        /// Sorts.
        public var sorts: Int = 0
        /// Rows inserted into automatic indexes.
        public var automaticIndexes: Int = 0
        /// Instructions of the virtual machine.
        public var vmSteps: Int = 0
        /// Pages found in the connection's page cache.
        public var cacheHits: Int = 0
        /// Pages missing from the connection's page cache.
        public var cacheMisses: Int = 0
        /// Changed pages written before the commit because the cache was full.
        public var cacheSpills: Int = 0

        /// Creates counters of zero.
        public init() {}
    }
}
