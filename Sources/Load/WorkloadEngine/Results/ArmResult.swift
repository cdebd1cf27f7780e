import Findings
import Telemetry
import Text

/// The result of running a scenario on one arm.
public struct ArmResult: Sendable, Codable, Equatable {
    /// The arm's name.
    public var arm: String
    /// Whether the numbers measure the database and not the load generator.
    public var valid: Bool
    /// The reason the run is invalid, or `nil` if it is valid.
    public var invalidReason: String?
    /// Whether the run was stopped early.
    public var partial: Bool
    /// The length of the measured phases, in seconds.
    public var duration: Double
    /// Properties of the open database, such as `journal_mode`.
    public var environment: [String: String]
    /// The results of the clients that ran, keyed by name.
    public var clients: [String: ClientResult]
    /// The reasons this arm cannot run certain clients, keyed by client name, or `nil` if it can
    /// run all clients.
    public var unsupported: [String: String]?
    /// The connection statistics, or `nil` if the target reports no status.
    public var pool: PoolResult?
    /// The write-ahead log statistics, or `nil` if there is no log.
    public var wal: WALResult?
    /// The snapshot statistics, or `nil` if the target reports no status.
    public var snapshots: SnapshotResult?
    /// The interrupt statistics, or `nil` if the target reports no status.
    public var interrupts: InterruptStatus?
    /// The number of busy accesses, keyed by the process or client that held the lock, or `nil` if
    /// there were none.
    ///
    /// The key `this process` represents the process that generates the load.
    public var busyHolders: [String: UInt64]?
    /// The measured `SQLITE_BUSY` failures, grouped by cause, or `nil` if there were none.
    public var busy: BusyResult?
    /// What failed or was slow, why, and its remedies, most important first, or `nil` if nothing was
    /// found.
    public var findings: [Finding]?
    /// The number of rejected statements in captured SQL, keyed by kind, such as `ATTACH`, or
    /// `nil` if there were none.
    public var refusals: [String: UInt64]?
    /// The driver that performed the accesses, or `nil` if they were performed in this process.
    public var driver: DriverResult?
    /// The causes of each client's slow accesses, keyed by client name, or `nil` if there were
    /// none.
    public var blame: [String: BlameResult]?
    /// The measurements of the load generator.
    public var generator: GeneratorResult
    /// The results of the scenario's thresholds, in order.
    public var thresholds: [ThresholdResult]
    /// The results of the scenario's invariants, in order.
    public var invariants: [InvariantResult]
    /// The measurements over time, with one record per second.
    public var intervals: [IntervalResult]
    /// The reasons a complete run failed, or `nil` if the run succeeded.
    public var failures: [String]?
    /// The threshold that ended the run early, or `nil` if no threshold did.
    ///
    /// If a threshold ends a run early, the run is also ``partial``.
    public var aborted: AbortResult?
}

/// The counts and times of a client's accesses.
public struct ClientResult: Sendable, Codable, Equatable {
    /// The number of accesses that the load model requested.
    ///
    /// This number equals `completed + skipped + errors + interrupted + unfinished`.
    public var offered: UInt64
    /// The number of accesses that started.
    public var started: UInt64
    /// The number of accesses that succeeded.
    public var completed: UInt64
    /// The number of accesses skipped because they were late by more than `skip-after`.
    public var skipped: UInt64
    /// The number of accesses that started more than 1 ms after their intended start.
    public var late: UInt64
    /// The number of retries after the database was busy.
    public var retried: UInt64
    /// The number of accesses that an interrupt ended.
    public var interrupted: UInt64
    /// The number of accesses that were queued or running at the end of the drain.
    public var unfinished: UInt64
    /// The number of accesses that failed, keyed by the name of the error code.
    public var errors: [String: UInt64]
    /// The first message of each error code, or `nil` inside a phase or an operation.
    public var errorMessages: [String: String]?
    /// The number of completed accesses per measured second.
    public var throughput: Double?
    /// The target arrival rate, in accesses/s, or `nil` in a closed loop.
    public var targetRate: Double?
    /// The response times of completed accesses, from intended start to end.
    public var response: LatencySummary?
    /// The wait times of completed accesses, from access start to closure start.
    public var wait: LatencySummary?
    /// The service times of completed accesses, from closure start to access end.
    public var service: LatencySummary?
    /// The delays from intended start to actual start, or `nil` if there is no schedule.
    public var lag: LatencySummary?
    /// The mean processor time of sampled completed accesses, in nanoseconds.
    public var processorMean: UInt64?
    /// The distributions of the client's latencies.
    ///
    /// This property is `nil` if there are no latencies, in a phase, and in a client's only
    /// operation.
    public var spectra: LatencySpectra?
    /// The outcomes of interrupts of the client's accesses, or `nil` if there were none.
    public var interrupts: InterruptStatus?
    /// The result of the client's checkpoints, or `nil` if there were none.
    public var checkpoints: CheckpointResult?
    /// The size of the client's last backup, in bytes, or `nil` if there was none.
    public var backupBytes: UInt64?
    /// The results of each operation, keyed by name, or `nil` inside an operation.
    public var operations: [String: ClientResult]?
    /// The results of each phase, keyed by name, or `nil` inside a phase or an operation.
    ///
    /// Phases that are not measured are included.
    public var phases: [String: ClientResult]?
    /// A profile of how SQLite executes the operation, or `nil` outside an operation.
    public var profile: OperationProfile?
    /// The rule for when accesses start, or `nil` inside a phase or an operation.
    public var loop: Loop?
    /// The distribution of accesses among the client's workers.
    ///
    /// This property is `nil` with only one worker or no latencies, and inside a phase or an
    /// operation.
    public var fairness: FairnessResult?
    /// A caveat about the client's percentiles, if any.
    public var caveat: String?

    /// The rule for when a client's accesses start.
    public enum Loop: String, Sendable, Codable, Equatable {
        /// Accesses arrive on a schedule, even if no worker is free.
        case open
        /// Each access starts after the previous one ends.
        case closed
        /// Accesses start at times that the scenario sets.
        case scheduled
    }

    /// The total number of errors.
    public var errorCount: UInt64 { errors.values.reduce(0, +) }

    /// Whether the counts of all outcomes add up to ``offered``.
    public var isBalanced: Bool {
        offered == completed + skipped + errorCount + interrupted + unfinished
    }
}

/// The connection statistics of a run.
public struct PoolResult: Sendable, Codable, Equatable {
    /// The maximum number of readers, or `nil` for a queue.
    public var maximumReaderCount: Int?
    /// The maximum number of readers in use at the same time, or `nil` for a queue.
    public var readersPeak: Int?
    /// The time-weighted share of readers in use, from 0 to 1, or `nil` for a queue.
    public var utilization: Double?
    /// The share of time during which all readers were in use and an access waited, from 0 to 1.
    ///
    /// This property is `nil` for a queue.
    public var saturation: Double?
    /// The maximum number of accesses that waited to read at the same time in measured phases.
    public var waitingReadersPeak: Int
    /// The maximum number of accesses that waited to write at the same time in measured phases.
    public var waitingWritersPeak: Int
    /// Whether the peaks of waiting accesses are sampled, or `nil` if the library counts them.
    public var peaksAreSampled: Bool?
    /// The times that accesses waited for a connection, in measured phases.
    ///
    /// The wait is zero if a connection was free. For a pool, these are the waits for readers.
    /// For the waits for a pool's writer, see ``writerAcquire``.
    public var acquire: LatencySummary?
    /// The share of accesses that found a free connection, from 0 to 1.
    public var acquiredAtOnce: Double?
    /// The times that accesses held a connection, in measured phases.
    public var hold: LatencySummary?
    /// The times that accesses waited for a pool's writer, in measured phases.
    public var writerAcquire: LatencySummary?
    /// The share of a pool's writes that found the writer free, from 0 to 1.
    public var writerAcquiredAtOnce: Double?
    /// The times that accesses held a pool's writer, in measured phases.
    public var writerHold: LatencySummary?
}

/// The write-ahead log statistics of a run.
public struct WALResult: Sendable, Codable, Equatable {
    /// The largest observed size of the log, in bytes.
    public var peakBytes: UInt64
    /// The log's size at the end, in bytes.
    public var finalBytes: UInt64
    /// The growth of the log in measured phases, in bytes.
    ///
    /// Growth without a pin is the normal growth between two checkpoints.
    public var grownBytes: UInt64?
    /// The pins that prevented the log from shrinking, longest first.
    public var pins: [Pin]

    /// A client that prevented the log from shrinking.
    public struct Pin: Sendable, Codable, Equatable {
        /// The client's name.
        public var by: String
        /// The reason, such as `oldReader`.
        public var cause: String
        /// The growth of the log during the pin, in bytes.
        public var bytes: UInt64
        /// The sampled length of the pin, in seconds.
        public var seconds: Double
    }
}

/// The snapshots taken during a run.
public struct SnapshotResult: Sendable, Codable, Equatable {
    /// The number of snapshots.
    public var made: UInt64
    /// The maximum observed age of a snapshot, in seconds, or `nil` if there were no snapshots.
    public var oldestSeconds: Double?
}

/// The measurements of the load generator.
public struct GeneratorResult: Sendable, Codable, Equatable {
    /// The generator's share of the machine's processor time, from 0 to 1.
    ///
    /// This share covers sampling and the work around each access.
    public var cpuShare: Double?
    /// The 99th percentile of the lag of accesses that had a free worker, in nanoseconds.
    ///
    /// This property is `nil` if there are too few samples.
    public var lagP99: UInt64?
    /// The cost of an access to a target that does nothing, in nanoseconds.
    public var noop: UInt64?
    /// The share of processor time that the host used for other virtual machines, from 0 to 1.
    ///
    /// This property is `nil` if the system does not report this time.
    public var stealShare: Double?
}

/// The outcome of a threshold.
public struct ThresholdResult: Sendable, Codable, Equatable {
    /// The metric, such as `ui.response`.
    public var metric: String
    /// The threshold's expression as written in the scenario.
    public var expression: String
    /// The measured value, in the metric's base unit, or `nil` if there are no samples.
    public var observed: Double?
    /// Whether the threshold was met, or `nil` if it is undecided or this arm cannot run the
    /// client.
    public var passed: Bool?
    /// `true` if there were too few samples to decide, or `nil` if there were enough.
    public var undecided: Bool?
    /// The measured time that yields enough samples at this run's rate, in seconds, or `nil` if
    /// unknown.
    public var decidingSeconds: Double?
}

/// The outcome of an invariant.
public struct InvariantResult: Sendable, Codable, Equatable {
    /// The invariant's name.
    public var name: String
    /// Whether the invariant held, or `nil` if there was nothing to check.
    public var passed: Bool?
    /// A description of what the check found.
    public var detail: String
}

/// The measurements of one second of a run.
public struct IntervalResult: Sendable, Codable, Equatable {
    /// The end of the interval, in seconds since the start of the load, excluding pauses.
    public var time: Double
    /// The length of the interval, in seconds.
    public var duration: Double
    /// The phase at the end of the interval.
    public var phase: String
    /// Whether the phase is measured.
    public var measured: Bool
    /// The clients' accesses, keyed by client name.
    public var clients: [String: Client]
    /// The time-weighted share of readers in use, from 0 to 1, or `nil` for a queue.
    public var utilization: Double?
    /// The share of time during which all readers were in use and an access waited, from 0 to 1.
    ///
    /// This property is `nil` for a queue.
    public var saturation: Double?
    /// The number of accesses waiting for a reader at the end of the interval, or `nil` if the
    /// target reports no status.
    public var waitingReaders: Int?
    /// The number of accesses waiting for the writer at the end of the interval, or `nil` if the
    /// target reports no status.
    public var waitingWriters: Int?
    /// The size of the log at the end of the interval, in bytes, or `nil` if there is no log.
    public var walBytes: UInt64?

    /// A client's accesses in an interval.
    public struct Client: Sendable, Codable, Equatable {
        /// The number of completed accesses, including accesses that are not measured.
        public var completed: UInt64
        /// The number of completed accesses per second.
        public var throughput: Double
        /// The response times, from intended start to end.
        public var response: LatencySummary?
        /// The wait times, from access start to closure start.
        public var wait: LatencySummary?
        /// The service times, from closure start to access end.
        public var service: LatencySummary?
    }
}

/// The result of a client's checkpoints.
public struct CheckpointResult: Sendable, Codable, Equatable {
    /// The number of checkpoints.
    public var count: Int
    /// The number of checkpoints that another connection blocked.
    public var blocked: Int
    /// The number of log frames that the last checkpoint reported.
    public var frames: Int64
    /// The number of those frames that are also in the database file.
    public var copied: Int64
}

extension ArmResult {
    /// The effective settings, such as `journal_mode wal, synchronous normal, busy timeout 5.00 s`.
    package var journalSettings: String? {
        let known = ["journal_mode", "synchronous", "busy"].compactMap { name in
            environment[name].map { "\(name) \($0)" }
        }
        return known.isEmpty ? nil : known.joined(separator: ", ")
    }
}
