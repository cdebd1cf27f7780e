import Text

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
        /// The number of retries among them.
        package var retried: UInt64 = 0
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

    /// Accesses that keep a lock or a transaction while no statement runs.
    package struct Hold: Sendable {
        package var client: String
        /// Whether the client holds the write lock.
        package var writes: Bool
        /// The time without a statement in each access, in nanoseconds.
        package var idle: UInt64
        /// The number of accesses per second.
        package var rate: Double
        /// The longest wait of each client that waited while the client held a connection, in
        /// nanoseconds.
        package var waits: [String: UInt64]

        package init(
            client: String,
            writes: Bool,
            idle: UInt64,
            rate: Double,
            waits: [String: UInt64]
        ) {
            self.client = client
            self.writes = writes
            self.idle = idle
            self.rate = rate
            self.waits = waits
        }
    }

    /// A client whose transactions are so small that their commits take most of the time.
    package struct SmallTransactions: Sendable {
        package var client: String
        /// The number of transactions per second.
        package var rate: Double
        /// The mean time of a transaction, in nanoseconds.
        package var mean: UInt64
        /// The number of instructions of SQLite's virtual machine in a transaction.
        package var steps: Int
        /// The value of `PRAGMA synchronous`, such as `full`, or `nil` if unknown.
        package var synchronous: String?
        /// The value of `PRAGMA journal_mode`, such as `wal`, or `nil` if unknown.
        package var journal: String?

        package init(
            client: String,
            rate: Double,
            mean: UInt64,
            steps: Int,
            synchronous: String?,
            journal: String? = nil
        ) {
            self.client = client
            self.rate = rate
            self.mean = mean
            self.steps = steps
            self.synchronous = synchronous
            self.journal = journal
        }
    }

    /// A statement that an access repeats for each row of another statement.
    package struct Repetition: Sendable {
        package var client: String
        package var sql: String
        /// The number of repetitions in an access, or for each execution of ``cause``.
        package var count: Int
        /// The number of accesses, or of executions of ``cause``, per second.
        package var rate: Double
        /// The statement that returns as many rows, if it runs in accesses of its own.
        package var cause: String?

        package init(
            client: String,
            sql: String,
            count: Int,
            rate: Double,
            cause: String? = nil
        ) {
            self.client = client
            self.sql = sql
            self.count = count
            self.rate = rate
            self.cause = cause
        }
    }

    /// What prevents a statement from using an index.
    package struct Obstacle: Sendable, Equatable {
        package var sql: String
        package var text: String
        package var remedy: String

        package init(sql: String, text: String, remedy: String) {
            self.sql = sql
            self.text = text
            self.remedy = remedy
        }
    }

    package var clients: [String: Client] = [:]
    package var obstacles: [Obstacle] = []
    package var holds: [Hold] = []
    package var smallTransactions: [SmallTransactions] = []
    package var repetitions: [Repetition] = []
    package var busy: [Busy] = []
    package var operations: [Operation] = []

    package init() {}
}

/// The reason that a database was busy.
public enum BusyCause: String, Sendable, Codable, CaseIterable {
    /// The busy handler waited until its timeout expired.
    case timeout
    /// A transaction tried to write after a read, while a different connection was writing or had
    /// written since the read.
    ///
    /// Waiting cannot resolve this conflict.
    case snapshotUpgrade = "snapshot-upgrade"
    /// Another connection was recovering the write-ahead log.
    case recovery
    /// Another connection blocked a checkpoint.
    case checkpoint
    /// The connection has no busy timeout.
    case noTimeout = "no-timeout"

    package var title: String { rawValue.replacing("-", with: " ") }

    /// Returns the remedy for failures with this cause, without a final period.
    ///
    /// The busy timeout is in nanoseconds, or `nil` if unknown.
    package func remedy(timeout: UInt64?, holder: String?, client: String) -> String {
        let raise = "raise the busy timeout"
        let longer =
            switch timeout {
            case nil: "\(raise) (`busy: {timeout: 5s}`)"
            case 0: "set a busy timeout (`busy: {timeout: 5s}`)"
            case let timeout?: "\(raise) above \(HumanUnits.duration(nanoseconds: timeout))"
            }
        let transaction =
            switch holder {
            case nil: "the transaction that holds the lock"
            case client?: "the transactions of \(client)"
            case let holder?: "the transaction of \(holder)"
            }
        return switch self {
        case .timeout: "\(longer), or shorten \(transaction)"
        case .snapshotUpgrade: "start the transaction with BEGIN IMMEDIATE: `begin: immediate`"
        case .recovery:
            "\(longer), because recovering the log takes only a moment"
        case .checkpoint:
            "shorten \(transaction), or use `mode: passive`, which does not wait"
        case .noTimeout: "set a busy timeout: `busy: {timeout: 5s}`"
        }
    }
}
