/// What SQLite says of one operation: how it finds the rows, and what it counted in one execution.
///
/// It is taken once, after the load, on the data as the load left them; what it writes is rolled
/// back. A slow query is not a slow pool.
public struct OperationProfile: Sendable, Codable, Equatable {
    /// What `EXPLAIN QUERY PLAN` says of each statement, in its order.
    public var plans: [Plan] = []
    /// What all its statements counted together; absent where they were not run.
    public var counters: Counters?
    /// Why something is missing; absent when nothing is.
    public var note: String?

    /// Creates an empty profile.
    public init() {}

    /// How SQLite executes a statement.
    public struct Plan: Sendable, Codable, Equatable {
        /// The statement.
        public var sql: String
        /// The lines of `EXPLAIN QUERY PLAN`, two spaces before those below another.
        public var lines: [String]

        /// Creates a plan.
        public init(sql: String, lines: [String]) {
            self.sql = sql
            self.lines = lines
        }
    }

    /// What SQLite counted (https://sqlite.org/c3ref/c_stmtstatus_counter.html and
    /// https://sqlite.org/c3ref/c_dbstatus_options.html).
    public struct Counters: Sendable, Codable, Equatable {
        /// The rows that the statements gave.
        public var rows: Int = 0
        /// Steps forward in full table scans.
        public var fullScanSteps: Int = 0
        /// Sorts.
        public var sorts: Int = 0
        /// Rows put into indexes that were made for the statement alone.
        public var automaticIndexes: Int = 0
        /// Instructions of the virtual machine.
        public var vmSteps: Int = 0
        /// Pages found in the connection's page cache.
        public var cacheHits: Int = 0
        /// Pages that were not.
        public var cacheMisses: Int = 0
        /// Changed pages written out before the commit, for lack of cache.
        public var cacheSpills: Int = 0

        /// Creates counters of zero.
        public init() {}
    }
}
