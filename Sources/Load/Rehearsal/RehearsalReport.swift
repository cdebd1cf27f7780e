import Telemetry
import Text
import WorkloadEngine

/// The result of `poolgauge rehearse`.
package struct RehearsalReport: Sendable, Codable, Equatable {
    package var schema = "poolgauge.rehearsal/1"
    /// The names of the script and of the database, as given.
    package var migration: String
    package var database: String
    /// The versions of Poolgauge and of SQLite.
    package var versions: [String: String]
    /// The journal mode during the migration.
    package var journalMode = ""
    /// The time for which the migration's connection waits for locks, in nanoseconds.
    package var busyTimeout: UInt64
    package var statements: [Statement]
    /// The migration without other programs.
    package var alone: Run?
    /// The migration under the load of a scenario.
    package var underLoad: Run?
    /// The state of the original, if a run found damage or rows that violate foreign keys.
    package var original: IntegrityResult?
    package var load: Load?
    package var space: Space?
    package var interruption: Interruption?
    package var batched: Batched?
    package var limits: [Limit] = []
    /// What the reader should know.
    package var notes: [String] = []
    /// Why the rehearsal ended early, or `nil` if it is complete.
    package var failure: String?
    /// The exit status.
    package var status: Int32 = 0

    package init(
        migration: String,
        database: String,
        versions: [String: String],
        busyTimeout: UInt64,
        statements: [Statement]
    ) {
        self.migration = migration
        self.database = database
        self.versions = versions
        self.busyTimeout = busyTimeout
        self.statements = statements
    }

    /// A statement of the script.
    package struct Statement: Sendable, Codable, Equatable {
        /// The line, starting with 1.
        package var line: Int
        /// The text on one line, which may be shortened.
        package var text: String

        package init(line: Int, text: String) {
            self.line = line
            self.text = text
        }
    }

    /// An execution of the migration.
    package struct Run: Sendable, Codable, Equatable {
        /// The time, in nanoseconds.
        package var duration: UInt64
        package var locks: LockTimes
        package var space: SpacePeaks
        /// The results of the steps that ended, in order.
        package var steps: [StepResult]
        package var failure: Failure?
        package var checks: IntegrityResult?
        /// The latencies and failures of the load's clients, by period.
        package var periods: [LoadPeriods.Period]?

        package init(
            measurements: WorkerMeasurements,
            steps: [StepResult],
            failure: Failure? = nil
        ) {
            duration = measurements.duration
            locks = measurements.locks
            space = measurements.space
            self.steps = steps
            self.failure = failure
        }
    }

    /// A statement that failed.
    package struct Failure: Sendable, Codable, Equatable {
        /// The line of the script, starting with 1.
        package var line: Int
        package var message: String
        package var code: String
        package var isDenied: Bool
        /// The number of statements of committed transactions, whose changes remain.
        package var committedStatements: Int

        package init(
            line: Int,
            message: String,
            code: String,
            isDenied: Bool,
            committedStatements: Int
        ) {
            self.line = line
            self.message = message
            self.code = code
            self.isDenied = isDenied
            self.committedStatements = committedStatements
        }
    }

    package struct Load: Sendable, Codable, Equatable {
        package var scenario: String
        package var arm: String

        package init(scenario: String, arm: String) {
            self.scenario = scenario
            self.arm = arm
        }
    }

    /// The space that the migration needs and that exists, in bytes.
    package struct Space: Sendable, Codable, Equatable {
        /// The largest size of the database, its log, and its journal, beyond the size of the
        /// database before.
        package var needed: UInt64
        /// The free space of the file system of the original database, or `nil` if it is unknown.
        package var free: UInt64?
        package var temporary: UInt64
        package var temporaryFolder: String?
        package var temporaryFree: UInt64?
        /// Whether both are on one file system.
        package var isShared: Bool

        package init(
            needed: UInt64,
            free: UInt64?,
            temporary: UInt64,
            temporaryFolder: String?,
            temporaryFree: UInt64?,
            isShared: Bool
        ) {
            self.needed = needed
            self.free = free
            self.temporary = temporary
            self.temporaryFolder = temporaryFolder
            self.temporaryFree = temporaryFree
            self.isShared = isShared
        }

        /// Whether the space suffices, or `nil` if the free space is unknown.
        package var suffices: Bool? {
            guard let free else { return nil }
            if needed + (isShared ? temporary : 0) > free { return false }
            guard !isShared, temporary > 0 else { return true }
            return temporaryFree.map { temporary <= $0 }
        }
    }

    /// What remains after the migration was ended halfway.
    package struct Interruption: Sendable, Codable, Equatable {
        package var interrupted: Outcome?
        package var killed: Outcome?

        package init(interrupted: Outcome? = nil, killed: Outcome? = nil) {
            self.interrupted = interrupted
            self.killed = killed
        }

        package struct Outcome: Sendable, Codable, Equatable {
            /// The time from the start to the interrupt, in nanoseconds.
            package var after: UInt64
            /// Whether the migration was complete before the interrupt.
            package var wasComplete: Bool
            /// The number of statements of committed transactions, whose changes remain.
            package var committedStatements: Int
            /// The time to roll back, or, after a kill, to recover when the database is next opened,
            /// in nanoseconds.
            package var recoveryTime: UInt64?
            /// The sizes of the log and of the journal that remain, in bytes.
            package var remainingWAL: UInt64
            package var remainingJournal: UInt64
            /// The problems that `PRAGMA quick_check` found, or `nil` if it was not run.
            package var problems: [String]?

            package init(
                after: UInt64,
                wasComplete: Bool,
                committedStatements: Int,
                recoveryTime: UInt64?,
                remainingWAL: UInt64,
                remainingJournal: UInt64,
                problems: [String]?
            ) {
                self.after = after
                self.wasComplete = wasComplete
                self.committedStatements = committedStatements
                self.recoveryTime = recoveryTime
                self.remainingWAL = remainingWAL
                self.remainingJournal = remainingJournal
                self.problems = problems
            }
        }
    }

    /// The variant in which long statements are divided into batches.
    package struct Batched: Sendable, Codable, Equatable {
        /// The longest hold at which the batches aim, in nanoseconds.
        package var maximumHold: UInt64
        /// The divided statements, with their lines.
        package var statements: [Statement]
        package var remainders: [BatchedMigration.Remainder]
        package var notes: [String]
        package var alone: Run?
        package var underLoad: Run?
        /// Whether all tables have the same rows as after the original migration, or `nil` if they
        /// were not compared.
        package var isEqual: Bool?
        /// The tables whose rows differ.
        package var differences: [String]
        /// The file with the program, as given.
        package var script: String?

        package init(
            maximumHold: UInt64,
            statements: [Statement],
            remainders: [BatchedMigration.Remainder],
            notes: [String]
        ) {
            self.maximumHold = maximumHold
            self.statements = statements
            self.remainders = remainders
            self.notes = notes
            differences = []
        }
    }

    /// A limit that the user has set, in nanoseconds.
    package struct Limit: Sendable, Codable, Equatable {
        /// The option without hyphens, such as `max-hold`.
        package var name: String
        package var limit: UInt64
        package var observed: UInt64?
        /// Whether the limit was met, or `nil` if the value was not measured.
        package var passed: Bool?

        package init(name: String, limit: UInt64, observed: UInt64?) {
            self.name = name
            self.limit = limit
            self.observed = observed
            passed = observed.map { $0 <= limit }
        }
    }

    /// The run that the limits apply to: that under load, or without a load, that alone.
    package var judged: Run? { load == nil ? alone : underLoad }

    /// Sets the limits' results and the exit status.
    package mutating func decide(maximumHold: UInt64?, maximumBlock: UInt64?, maximumTime: UInt64?)
    {
        let run = judged
        limits = [
            maximumHold.map {
                Limit(name: "max-hold", limit: $0, observed: run?.locks.longestWriteHold)
            },
            maximumBlock.map {
                Limit(name: "max-read-block", limit: $0, observed: run?.locks.longestReadBlock)
            },
            maximumTime.map { Limit(name: "max-duration", limit: $0, observed: run?.duration) },
        ].compactMap(\.self)
        let runs = [alone, underLoad].compactMap(\.self)
        let isBroken = runs.contains { $0.failure != nil || $0.checks?.isIntact == false }
        if failure != nil || isBroken {
            status = ExitStatus.failed.rawValue
        } else if limits.contains(where: { $0.passed == false }) || space?.suffices == false {
            status = ExitStatus.thresholdMissed.rawValue
        } else if limits.contains(where: { $0.passed == nil }) {
            status = ExitStatus.undecided.rawValue
        } else {
            status = ExitStatus.passed.rawValue
        }
    }
}
