import Telemetry

/// The result of running a scenario on one arm.
public struct ArmResult: Sendable, Codable, Equatable {
    /// The arm's name.
    public var arm: String
    /// Whether the numbers measure the database rather than the load generator.
    public var valid: Bool
    /// Why the run is invalid, or `nil` if it is valid.
    public var invalidReason: String?
    /// Whether the run was stopped early.
    public var partial: Bool
    /// The length of the measured phases, in seconds.
    public var duration: Double
    /// Properties of the open database, such as `journal_mode`.
    public var environment: [String: String]
    /// The results of the clients that ran, keyed by name.
    public var clients: [String: ClientResult]
    /// The reasons why this arm cannot run certain clients, keyed by client name, or `nil` if it
    /// can run all of them.
    public var unsupported: [String: String]?
    /// The use of the connections, or `nil` if the target does not report a status.
    public var pool: PoolResult?
    /// The write-ahead log, or `nil` if there is none.
    public var wal: WALResult?
    /// The snapshots, or `nil` if the target does not report a status.
    public var snapshots: SnapshotResult?
    /// The interrupts, or `nil` if the target does not report a status.
    public var interrupts: InterruptStatus?
    /// The number of times that each process or client held a lock when an access found the
    /// database busy.
    ///
    /// This is `nil` if no access found the database busy. `this process` is the process that
    /// generates the load.
    public var busyHolders: [String: UInt64]?
    /// The `SQLITE_BUSY` failures in the measured time, grouped by cause, or `nil` if there were
    /// none.
    public var busy: BusyResult?
    /// The number of statements that the guard for captured SQL rejected, keyed by kind, such as
    /// `ATTACH`, or `nil` if it rejected none.
    public var refusals: [String: UInt64]?
    /// The causes of each client's slow accesses, keyed by client name, or `nil` if there were
    /// none.
    public var blame: [String: BlameResult]?
    /// The measurements of the load generator.
    public var generator: GeneratorResult
    /// The requested load, which a simulation can repeat, or `nil` in results of older versions.
    public var load: RecordedLoad?
    /// The results of the scenario's thresholds, in order.
    public var thresholds: [ThresholdResult]
    /// The results of the scenario's invariants, in order.
    public var invariants: [InvariantResult]
    /// One record per second.
    public var intervals: [IntervalResult]
    /// Why the complete run failed, or `nil` if it succeeded.
    public var failures: [String]?
    /// The threshold that ended the run early, or `nil` if no threshold did.
    ///
    /// Such a run is also ``partial``.
    public var aborted: AbortResult?
}

/// The counts and times of a client's accesses.
public struct ClientResult: Sendable, Codable, Equatable {
    /// The number of accesses that the load model requested.
    ///
    /// This is always `completed + skipped + errors + interrupted + unfinished`.
    public var offered: UInt64
    /// The number of accesses that started.
    public var started: UInt64
    /// The number of accesses that succeeded.
    public var completed: UInt64
    /// The number of accesses skipped because they were more than `skip-after` late when a worker
    /// became free.
    public var skipped: UInt64
    /// The number of accesses that started more than a millisecond after their intended time.
    public var late: UInt64
    /// The number of retries after the database was busy.
    public var retried: UInt64
    /// The number of accesses that an interrupt ended.
    public var interrupted: UInt64
    /// The number of accesses that were queued or running when the run and its drain ended.
    public var unfinished: UInt64
    /// The number of accesses that failed, keyed by the name of the error code.
    public var errors: [String: UInt64]
    /// The first message of each error code, or `nil` inside a phase and inside an operation.
    public var errorMessages: [String: String]?
    /// The number of completed accesses per second of the measured time.
    public var throughput: Double?
    /// The target arrival rate, in accesses/s, or `nil` in a closed loop.
    public var targetRate: Double?
    /// The response times of completed accesses, from intended start to end.
    public var response: LatencySummary?
    /// The wait times of completed accesses, from start to entry into the closure.
    public var wait: LatencySummary?
    /// The service times of completed accesses, from entry into the closure to end.
    public var service: LatencySummary?
    /// The delays from intended start to actual start, or `nil` if there is no schedule.
    public var lag: LatencySummary?
    /// The mean processor time of the sampled completed accesses from entry to end, in nanoseconds,
    /// or `nil` if there are no samples.
    public var processorMean: UInt64?
    /// The distributions of the client's latencies.
    ///
    /// This is `nil` if there are no latencies, inside a phase, and inside the only operation of a
    /// client.
    public var spectra: LatencySpectra?
    /// The outcomes of interrupts of the client's accesses, or `nil` if there were none.
    public var interrupts: InterruptStatus?
    /// The result of the client's checkpoints, or `nil` if it ran none.
    public var checkpoints: CheckpointResult?
    /// The size of the client's last backup, in bytes, or `nil` if it made none.
    public var backupBytes: UInt64?
    /// The results of each operation, keyed by name, or `nil` inside an operation.
    public var operations: [String: ClientResult]?
    /// The results of each phase, keyed by name, including unmeasured phases.
    ///
    /// This is `nil` inside a phase and inside an operation.
    public var phases: [String: ClientResult]?
    /// How SQLite executes the operation, or `nil` outside an operation.
    public var profile: OperationProfile?
    /// What determines when accesses start, or `nil` inside a phase and inside an operation.
    public var loop: Loop?
    /// How evenly the client's workers shared its accesses.
    ///
    /// This is `nil` if there is only one worker, if there are no latencies, inside a phase, and
    /// inside an operation.
    public var fairness: FairnessResult?
    /// A caveat about the client's percentiles, if any.
    public var caveat: String?

    /// What determines when a client's accesses start.
    public enum Loop: String, Sendable, Codable, Equatable {
        /// Accesses arrive on a schedule, whether or not a worker is free.
        case open
        /// Each access starts after the previous one has ended.
        case closed
        /// Accesses start at times that the scenario sets.
        case scheduled
    }

    /// The total number of errors.
    public var errorCount: UInt64 { errors.values.reduce(0, +) }

    /// Whether every offered access is accounted for.
    public var isBalanced: Bool {
        offered == completed + skipped + errorCount + interrupted + unfinished
    }
}

extension ClientResult {
    /// Combines counts and latencies.
    init(_ counts: AccessCounts, _ histograms: AccessHistograms, seconds: Double) {
        self.init(
            offered: counts.offered,
            started: counts.started,
            completed: counts.completed,
            skipped: counts.skipped,
            late: counts.late,
            retried: counts.retried,
            interrupted: counts.interrupted,
            unfinished: counts.unfinished,
            errors: counts.errors,
            throughput: seconds > 0
                ? (Double(counts.completed) / seconds).rounded(toDigits: 2) : nil,
            response: histograms.response.summary,
            wait: histograms.wait.summary,
            service: histograms.service.summary,
            lag: histograms.lag.summary
        )
        processorMean = histograms.processor.mean
    }
}

/// The use of the connections.
public struct PoolResult: Sendable, Codable, Equatable {
    /// The maximum number of readers (`maximumReaderCount`), or `nil` for a queue.
    public var maximumReaderCount: Int?
    /// The maximum number of readers in use at the same time, or `nil` for a queue.
    public var readersPeak: Int?
    /// The time-weighted share of the readers in use, in 0…1, or `nil` for a queue.
    public var utilization: Double?
    /// The share of time, in 0…1, during which all readers were in use and an access waited, or
    /// `nil` for a queue.
    public var saturation: Double?
    /// The largest number of accesses that waited to read at the same time, in the measured time.
    public var waitingReadersPeak: Int
    /// The largest number of accesses that waited to write at the same time, in the measured time.
    public var waitingWritersPeak: Int
    /// Whether the peak numbers of waiting accesses come from ten samples per second, or `nil` if
    /// the library counts waiting accesses.
    public var peaksAreSampled: Bool?
    /// How long accesses waited for a connection in the measured time.
    ///
    /// The wait is zero if a connection was free. For a pool, the connections are its readers. See
    /// ``writerAcquire`` for its writer.
    public var acquire: LatencySummary?
    /// The share of accesses, in 0…1, that found a free connection.
    ///
    /// An access that found a free connection has a wait of zero.
    public var acquiredAtOnce: Double?
    /// How long accesses held a connection in the measured time.
    public var hold: LatencySummary?
    /// How long a pool's accesses waited for its writer in the measured time.
    public var writerAcquire: LatencySummary?
    /// The share of a pool's writes, in 0…1, that found the writer free.
    public var writerAcquiredAtOnce: Double?
    /// How long accesses held a pool's writer in the measured time.
    public var writerHold: LatencySummary?
}

/// The use of the write-ahead log during a run.
public struct WALResult: Sendable, Codable, Equatable {
    /// The log's largest observed size, in bytes.
    public var peakBytes: UInt64
    /// The log's size at the end, in bytes.
    public var finalBytes: UInt64
    /// The log's growth in the measured time, in bytes.
    ///
    /// Growth without a pin is the normal growth between two checkpoints.
    public var grownBytes: UInt64?
    /// The pins that kept the log from shrinking, longest first.
    public var pins: [Pin]

    /// A client that kept the log from shrinking.
    public struct Pin: Sendable, Codable, Equatable {
        /// The client's name.
        public var by: String
        /// The reason, such as `oldReader`.
        public var cause: String
        /// The log's growth during the pin, in bytes.
        public var bytes: UInt64
        /// The length of the pin, in seconds, based on ten samples per second.
        public var seconds: Double
    }
}

/// The snapshots taken during a run.
public struct SnapshotResult: Sendable, Codable, Equatable {
    /// The number of snapshots.
    public var made: UInt64
    /// The largest observed age of a snapshot, in seconds, or `nil` if there were no snapshots.
    public var oldestSeconds: Double?
}

/// Measurements of the load generator itself.
public struct GeneratorResult: Sendable, Codable, Equatable {
    /// The generator's share of the machine's processor time, in 0…1.
    ///
    /// This is the time spent on sampling and on the work around each access.
    public var cpuShare: Double?
    /// The 99th percentile of the lag of accesses for which a worker was free, in nanoseconds, or
    /// `nil` if fewer than ten samples exceed it.
    public var lagP99: UInt64?
    /// The cost of an access to a target that does nothing, in nanoseconds.
    public var noop: UInt64?
    /// The share of the machine's processor time, in 0…1, that its host used for other machines, or
    /// `nil` if the system does not report it.
    public var stealShare: Double?
}

/// The outcome of a threshold.
public struct ThresholdResult: Sendable, Codable, Equatable {
    /// The metric, such as `ui.response`.
    public var metric: String
    /// The threshold's expression as written.
    public var expression: String
    /// The measured value, in the metric's base unit, or `nil` if there are no samples.
    public var observed: Double?
    /// Whether the threshold was met, or `nil` if it is undecided or if this arm cannot run the
    /// client.
    public var passed: Bool?
    /// Whether there were too few samples to decide, or `nil` if there were enough.
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
    /// The details of the check.
    public var detail: String
}

/// The measurements of one second of a run.
public struct IntervalResult: Sendable, Codable, Equatable {
    /// The interval's end, in seconds since the start of the load, excluding pauses.
    public var time: Double
    /// The interval's length, in seconds.
    public var duration: Double
    /// The phase at the interval's end.
    public var phase: String
    /// Whether the phase is measured.
    public var measured: Bool
    /// The clients' accesses, keyed by client name.
    public var clients: [String: Client]
    /// The time-weighted share of the readers in use, in 0…1, or `nil` for a queue.
    public var utilization: Double?
    /// The share of time during which all readers were in use and an access waited, or `nil` for a
    /// queue.
    public var saturation: Double?
    /// The number of accesses waiting for a reader at the end of the interval, or `nil` if the
    /// target does not report a status.
    public var waitingReaders: Int?
    /// The number of accesses waiting for the writer at the end of the interval, or `nil` if the
    /// target does not report a status.
    public var waitingWriters: Int?
    /// The size of the write-ahead log at the interval's end, in bytes, or `nil` if there is none.
    public var walBytes: UInt64?

    /// A client's accesses in one second.
    public struct Client: Sendable, Codable, Equatable {
        /// The number of completed accesses, whether or not they are measured.
        public var completed: UInt64
        /// The number of completed accesses per second.
        public var throughput: Double
        /// The response times, from intended start to end.
        public var response: LatencySummary?
        /// The wait times, from start to entry into the closure.
        public var wait: LatencySummary?
        /// The service times, from entry into the closure to end.
        public var service: LatencySummary?
    }
}
