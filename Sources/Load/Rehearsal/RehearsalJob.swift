/// A task of a worker process, which is the only process that executes the migration's SQL.
///
/// The worker reads the job as one line of JSON from standard input, opens the database, and writes
/// ``RehearsalMessage/Event/ready``. It starts with the line ``start``, interrupts its statement
/// with the line ``interrupt``, and ends at the end of its input.
package struct RehearsalJob: Sendable, Codable, Equatable {
    /// What a worker does.
    package enum Task: Sendable, Codable, Equatable {
        /// Executes a migration's statements or batches.
        case migrate([MigrationStep])
        /// Checks the integrity and the foreign keys.
        case check(isQuick: Bool)
        /// Computes a digest of the rows of each table.
        case digest
        /// Reads the tables and views of the schema.
        case describe
    }

    package static let start = "start"
    package static let interrupt = "interrupt"

    /// The path of the copy.
    package var database: String
    package var task: Task
    /// The time to wait for a lock, in milliseconds.
    package var busyTimeout: Int32
    /// The journal mode to set before the start, or `nil` for the mode of the file.
    package var journalMode: String?
    /// The longest time that a batch may hold the write lock, in nanoseconds.
    package var maximumHold: UInt64

    package init(
        database: String,
        task: Task,
        busyTimeout: Int32 = 5000,
        journalMode: String? = nil,
        maximumHold: UInt64 = 50_000_000
    ) {
        self.database = database
        self.task = task
        self.busyTimeout = busyTimeout
        self.journalMode = journalMode
        self.maximumHold = maximumHold
    }
}

/// A step of a migration.
package enum MigrationStep: Sendable, Codable, Equatable {
    /// A statement, as it is in the script.
    case statement(MigrationScript.Statement)
    /// A statement in batches of consecutive keys, each in a transaction of its own.
    case batches(BatchedStatement)

    /// The line of the script, starting with 1.
    package var line: Int {
        switch self {
        case .statement(let statement): statement.line
        case .batches(let batched): batched.line
        }
    }
}

/// A message of a worker process, which is one line of JSON.
package struct RehearsalMessage: Sendable, Codable {
    package enum Event: String, Sendable, Codable {
        /// The database is open.
        case ready
        /// A step begins.
        case began
        /// A step has ended.
        case ended
        /// A step or the task has failed, and the worker ends.
        case failed
        /// The task is complete.
        case finished
    }

    package var event: Event
    /// The index of the step.
    package var step: Int?
    package var result: StepResult?
    package var failure: WorkerFailure?
    package var measurements: WorkerMeasurements?
    package var checks: IntegrityResult?
    package var digests: [String: RowDigest]?
    package var tables: [TableFacts]?
    /// The number of unused pages of the database.
    package var freePages: Int64?
    /// The value of `PRAGMA auto_vacuum`.
    package var autoVacuum: Int64?
    /// The time to open the database and to read its schema, which includes the recovery of its
    /// log, in nanoseconds.
    package var openingTime: UInt64?
    package var journalMode: String?

    package init(_ event: Event) {
        self.event = event
    }
}

/// The measurements of a step.
package struct StepResult: Sendable, Codable, Equatable {
    /// The time, in nanoseconds.
    package var duration: UInt64
    /// The number of changed rows.
    package var changes: Int64
    /// The longest time that the step held the write lock without a break, in nanoseconds.
    package var longestWriteHold: UInt64
    /// The longest time that the step prevented reads, in nanoseconds.
    package var longestReadBlock: UInt64
    /// Whether the connection is outside a transaction after the step.
    package var endsOutsideTransaction: Bool
    /// The number of batches, or `nil` for a statement.
    package var batches: Int?
    /// The number of rows in the largest batch, or `nil` for a statement.
    package var largestBatch: Int?
}

/// Why a worker failed.
package struct WorkerFailure: Error, Sendable, Codable, Equatable {
    /// The message of SQLite, or the reason for which the statement is denied.
    package var message: String
    /// The name of the result code, such as `SQLITE_BUSY`.
    package var code: String
    /// Whether the statement was denied because it may access another file.
    package var isDenied: Bool
    /// The time from the interrupt to the end of the rollback, in nanoseconds, or `nil` without an
    /// interrupt.
    package var rollbackTime: UInt64?

    package init(message: String, code: String, isDenied: Bool = false) {
        self.message = message
        self.code = code
        self.isDenied = isDenied
    }
}

/// What a worker measured from the start to the end of a migration.
package struct WorkerMeasurements: Sendable, Codable, Equatable {
    /// The time, in nanoseconds.
    package var duration: UInt64
    package var locks: LockTimes
    package var space: SpacePeaks

    package init(duration: UInt64, locks: LockTimes, space: SpacePeaks) {
        self.duration = duration
        self.locks = locks
        self.space = space
    }
}

/// The times during which a migration excluded others, in nanoseconds.
package struct LockTimes: Sendable, Codable, Equatable {
    /// The longest time without a break during which others could not write.
    package var longestWriteHold: UInt64 = 0
    /// The total time during which others could not write.
    package var totalWriteHold: UInt64 = 0
    /// The longest time without a break during which others could not read.
    package var longestReadBlock: UInt64 = 0
    /// The total time during which others could not read.
    package var totalReadBlock: UInt64 = 0
    /// The time between two checks, as measured; a shorter hold may be missed.
    package var resolution: UInt64 = 0

    package init() {}
}

/// The largest sizes of files during a migration, in bytes.
package struct SpacePeaks: Sendable, Codable, Equatable {
    package var database: UInt64 = 0
    package var wal: UInt64 = 0
    package var journal: UInt64 = 0
    /// The total size of the temporary files of SQLite, which have no names.
    package var temporary: UInt64 = 0
    /// The size of the database before the migration.
    package var databaseBefore: UInt64 = 0
    /// The largest total of the database, its log, and its journal.
    package var total: UInt64 = 0
    /// The folder of the temporary files, or `nil` if there were none.
    package var temporaryFolder: String?

    package init() {}

    /// The space that the migration needs in addition to the database, in bytes.
    package var additional: UInt64 { total - min(total, databaseBefore) }
}

/// The state of a database after a migration.
package struct IntegrityResult: Sendable, Codable, Equatable {
    /// The problems that `PRAGMA integrity_check` or `quick_check` found, of which there are at most
    /// ten.
    package var problems: [String] = []
    /// The number of rows that violate a foreign key, by table.
    package var foreignKeyViolations: [String: Int] = [:]

    package init() {}

    package var isIntact: Bool { problems.isEmpty }
    package var isSound: Bool { isIntact && foreignKeyViolations.isEmpty }
}

/// A table, as far as batches depend on it.
package struct TableFacts: Sendable, Codable, Equatable {
    package var name: String
    /// The column that is a name of the row ID, or `nil` if there is none.
    package var key: String?
    /// Whether its rows have row IDs.
    package var hasRowIDs: Bool
    /// The columns, in lowercase.
    package var columns: [String]
    package var hasTriggers: Bool
    /// Whether it is an ordinary table, and not a view or a virtual table.
    package var isOrdinary: Bool

    package init(
        name: String,
        key: String?,
        hasRowIDs: Bool,
        columns: [String],
        hasTriggers: Bool,
        isOrdinary: Bool
    ) {
        self.name = name
        self.key = key
        self.hasRowIDs = hasRowIDs
        self.columns = columns
        self.hasTriggers = hasTriggers
        self.isOrdinary = isOrdinary
    }
}

/// A digest of a table's rows, which does not depend on their order.
package struct RowDigest: Sendable, Codable, Equatable {
    package var rows: UInt64 = 0
    /// The sum of the hashes of the rows.
    package var sum: UInt64 = 0

    package init() {}
}
