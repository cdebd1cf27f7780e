/// What a run of a load knows about the failures and the statements of its clients.
package struct LoadFacts: Sendable {
    /// `SQLITE_BUSY` failures with one cause, client, and statement.
    package struct Busy: Sendable {
        package var cause: BusyCause
        package var client: String
        package var statement: String?
        /// The number of failures, including those of retried accesses.
        package var count: UInt64
        /// The longest wait before a failure, in nanoseconds, or `nil` if unknown.
        package var longestWait: UInt64?
        /// The busy timeout, in nanoseconds, or `nil` if unknown.
        package var timeout: UInt64?
        /// The client or process that held the lock most often, or `nil` if unknown.
        package var holder: String?

        package init(cause: BusyCause, client: String, count: UInt64) {
            self.cause = cause
            self.client = client
            self.count = count
        }
    }

    /// A client of the load.
    package struct Client: Sendable {
        /// The number of accesses that started, including retries.
        package var started: UInt64
        /// The number of failed accesses by result code.
        package var errors: [String: UInt64]
        /// The longest time inside an access, in nanoseconds, or `nil` if unknown.
        package var longestAccess: UInt64?

        package init(started: UInt64, errors: [String: UInt64], longestAccess: UInt64?) {
            self.started = started
            self.errors = errors
            self.longestAccess = longestAccess
        }
    }

    /// An operation of a client, and how SQLite executes it.
    package struct Operation: Sendable {
        package var client: String
        package var name: String
        /// The number of executions per second.
        package var rate: Double
        /// The number of instructions of SQLite's virtual machine per execution.
        package var steps: Int
        /// The statements with the lines of their plans.
        package var plans: [(sql: String, lines: [String])]

        package init(
            client: String,
            name: String,
            rate: Double,
            steps: Int,
            plans: [(sql: String, lines: [String])]
        ) {
            self.client = client
            self.name = name
            self.rate = rate
            self.steps = steps
            self.plans = plans
        }
    }

    package var clients: [String: Client] = [:]
    package var busy: [Busy] = []
    package var operations: [Operation] = []

    package init() {}
}
