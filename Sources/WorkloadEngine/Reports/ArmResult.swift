import Telemetry

/// The result of the run of one arm.
public struct ArmResult: Sendable, Codable, Equatable {
    /// The arm's name.
    public var arm: String
    /// Whether the numbers measure the database, and not the load generator.
    public var valid: Bool
    /// Why the run is invalid; absent if it is valid.
    public var invalidReason: String?
    /// Whether the run was stopped early.
    public var partial: Bool
    /// The length of the measured phases, in seconds.
    public var duration: Double
    /// Facts about the open database, such as `journal_mode`.
    public var environment: [String: String]
    /// The clients that ran, by name.
    public var clients: [String: ClientResult]
    /// The clients that this arm cannot run, with the reasons; absent if there are none.
    public var unsupported: [String: String]?
    /// The connections; absent for a target without a status.
    public var pool: PoolResult?
    /// The write-ahead log; absent without one.
    public var wal: WALResult?
    /// The snapshots; absent for a target without a status.
    public var snapshots: SnapshotResult?
    /// The interrupts; absent for a target without a status.
    public var interrupts: InterruptStatus?
    /// The holders of the locks when accesses found the database busy, with the number of times.
    ///
    /// Absent if no access did. `this process` is the process that generates the load.
    public var busyHolders: [String: UInt64]?
    /// The failures with `SQLITE_BUSY` in the measured time, by cause; absent without any.
    public var busy: BusyResult?
    /// The number of statements that the guard of captured SQL rejected, by kind, such as
    /// `ATTACH`; absent if it rejected none.
    public var refusals: [String: UInt64]?
    /// The causes of each client's slow accesses, by client name; absent without such accesses.
    public var blame: [String: BlameResult]?
    /// The measurements of the generator.
    public var generator: GeneratorResult
    /// The requested load, which a simulation can repeat; absent in results of older versions.
    public var load: RecordedLoad?
    /// The scenario's thresholds, in order.
    public var thresholds: [ThresholdResult]
    /// The scenario's invariants, in order.
    public var invariants: [InvariantResult]
    /// One record for each second.
    public var intervals: [IntervalResult]
    /// Why the complete run failed; absent if it did not.
    public var failures: [String]?
    /// The threshold that ended the run early, which is then also ``partial``; absent if none did.
    public var aborted: AbortResult?
}

/// The counts and times of one client's accesses.
public struct ClientResult: Sendable, Codable, Equatable {
    /// Accesses that the load model requested; always
    /// `completed + skipped + errors + interrupted + unfinished`.
    public var offered: UInt64
    /// Accesses that started.
    public var started: UInt64
    /// Accesses that succeeded.
    public var completed: UInt64
    /// Accesses skipped because they were later than `skip-after` when a worker was free.
    public var skipped: UInt64
    /// Accesses that started more than a millisecond after their intended time.
    public var late: UInt64
    /// Retries after the database was busy.
    public var retried: UInt64
    /// Accesses that ended with an interrupt.
    public var interrupted: UInt64
    /// Accesses that were queued or running when the run and its drain ended.
    public var unfinished: UInt64
    /// Accesses that failed, by the name of their code.
    public var errors: [String: UInt64]
    /// Completed accesses per second of the measured time.
    public var throughput: Double?
    /// The target rate of arrivals, in accesses/s; absent in a closed loop.
    public var targetRate: Double?
    /// The times from intended start to end of completed accesses.
    public var response: LatencySummary?
    /// The times from start to entry into the closure of completed accesses.
    public var wait: LatencySummary?
    /// The times from entry to end of completed accesses.
    public var service: LatencySummary?
    /// The times from intended start to start; absent without a schedule.
    public var lag: LatencySummary?
    /// The mean processor time from entry to end of the measured completed accesses, in
    /// nanoseconds; absent without measurements.
    public var processorMean: UInt64?
    /// The distributions of its latencies; absent without latencies, inside a phase, and inside the
    /// only operation of a client.
    public var spectra: LatencySpectra?
    /// The outcomes of interrupts of its accesses; absent if there were none.
    public var interrupts: InterruptStatus?
    /// Its checkpoints; absent if it made none.
    public var checkpoints: CheckpointResult?
    /// The size of its last backup, in bytes; absent if it made none.
    public var backupBytes: UInt64?
    /// The results of each operation, by name; absent inside an operation.
    public var operations: [String: ClientResult]?
    /// The results of each phase, by name, including unmeasured phases; absent inside a phase and
    /// inside an operation.
    public var phases: [String: ClientResult]?
    /// How SQLite executes the operation; only inside an operation.
    public var profile: OperationProfile?
    /// The timing of its accesses; absent inside a phase and inside an operation.
    public var loop: Loop?
    /// How evenly its workers shared its accesses; absent with one worker, without latencies,
    /// inside a phase and inside an operation.
    public var fairness: FairnessResult?
    /// A caveat about its percentiles, if any.
    public var caveat: String?

    /// The timing of accesses.
    public enum Loop: String, Sendable, Codable, Equatable {
        /// Accesses arrive on a schedule, whether or not a worker is free.
        case open
        /// Each access starts after the previous one has ended.
        case closed
        /// Accesses start at times that the scenario sets.
        case scheduled
    }

    /// The number of errors, over all codes.
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
    /// `maximumReaderCount`; absent for a queue.
    public var maximumReaderCount: Int?
    /// The most readers in use at the same time; absent for a queue.
    public var readersPeak: Int?
    /// Time-weighted readers in use over the maximum, in 0…1; absent for a queue.
    public var utilization: Double?
    /// The share of time, in 0…1, in which all readers were in use and an access waited; absent
    /// for a queue.
    public var saturation: Double?
    /// The largest number of accesses that waited to read at once, in the measured time.
    public var waitingReadersPeak: Int
    /// The largest number of accesses that waited to write at once, in the measured time.
    public var waitingWritersPeak: Int
    /// Whether the numbers of waiting accesses are the largest of ten samples per second, because the
    /// library does not count waiting accesses; absent if it counts them.
    public var peaksAreSampled: Bool?
    /// The waits of accesses for a connection in the measured time.
    ///
    /// The wait is zero if a connection was free. For a pool, the connections are its readers; see
    /// ``writerAcquire`` for its writer.
    public var acquire: LatencySummary?
    /// The share of accesses, in 0…1, that found a free connection: their wait counts as zero.
    public var acquiredAtOnce: Double?
    /// The times for which accesses held a connection in the measured time.
    public var hold: LatencySummary?
    /// The waits of a pool's accesses for its writer in the measured time.
    public var writerAcquire: LatencySummary?
    /// The share of a pool's writes, in 0…1, that found the writer free.
    public var writerAcquiredAtOnce: Double?
    /// The times for which accesses held a pool's writer in the measured time.
    public var writerHold: LatencySummary?
}

/// The write-ahead log during a run.
public struct WALResult: Sendable, Codable, Equatable {
    /// The largest observed size of the log, in bytes.
    public var peakBytes: UInt64
    /// The size at the end, in bytes.
    public var finalBytes: UInt64
    /// The growth in the measured time, in bytes; growth that no pin explains is the normal growth
    /// between two checkpoints.
    public var grownBytes: UInt64?
    /// The pins that kept the log from shrinking, longest first.
    public var pins: [Pin]

    /// A client that kept the log from shrinking.
    public struct Pin: Sendable, Codable, Equatable {
        /// The client's name.
        public var by: String
        /// The reason, such as `oldReader`.
        public var cause: String
        /// The growth of the log during the pin, in bytes.
        public var bytes: UInt64
        /// The length of the pin, in seconds, at ten samples per second.
        public var seconds: Double
    }
}

/// The snapshots of a run.
public struct SnapshotResult: Sendable, Codable, Equatable {
    /// The number of snapshots.
    public var made: UInt64
    /// The largest observed age, in seconds; absent without snapshots.
    public var oldestSeconds: Double?
}

/// Measurements of the load generator itself.
public struct GeneratorResult: Sendable, Codable, Equatable {
    /// The generator's share of the machine's processor time, in 0…1: the time spent around the
    /// accesses and on sampling.
    public var cpuShare: Double?
    /// The 99th percentile of the lags of accesses with a free worker, in nanoseconds; absent with
    /// fewer than ten samples above it.
    public var lagP99: UInt64?
    /// The cost of an access to a target that does nothing, in nanoseconds.
    public var noop: UInt64?
    /// The share of the machine's processor time, in 0…1, that its host used for other machines;
    /// absent if the system does not report it.
    public var stealShare: Double?
}

/// The outcome of a threshold.
public struct ThresholdResult: Sendable, Codable, Equatable {
    /// The metric, such as `ui.response`.
    public var metric: String
    /// The expression as written.
    public var expression: String
    /// The measured value, in the metric's base unit; absent without samples.
    public var observed: Double?
    /// Whether it was met; absent if undecided, and if this arm cannot run the client.
    public var passed: Bool?
    /// Whether there were too few samples to decide; absent if there were enough.
    public var undecided: Bool?
    /// The measured time that yields enough samples at this run's rate, in seconds; absent if
    /// unknown.
    public var decidingSeconds: Double?
}

/// The outcome of an invariant.
public struct InvariantResult: Sendable, Codable, Equatable {
    /// The invariant's name.
    public var name: String
    /// Whether it held; absent if there was nothing to check.
    public var passed: Bool?
    /// The details of the check.
    public var detail: String
}

/// One second of a run.
public struct IntervalResult: Sendable, Codable, Equatable {
    /// The interval's end, in seconds since the start of the load, excluding pauses.
    public var time: Double
    /// The interval's length, in seconds.
    public var duration: Double
    /// The phase at the interval's end.
    public var phase: String
    /// Whether that phase is measured.
    public var measured: Bool
    /// The clients, by name.
    public var clients: [String: Client]
    /// Time-weighted readers in use over the maximum, in 0…1; absent for a queue.
    public var utilization: Double?
    /// The share of time in which all readers were in use and an access waited; absent for a queue.
    public var saturation: Double?
    /// The number of accesses that wait for a reader at the interval's end; absent for a target
    /// without a status.
    public var waitingReaders: Int?
    /// The number of accesses that wait for the writer at the interval's end; absent for a target
    /// without a status.
    public var waitingWriters: Int?
    /// The size of the write-ahead log at the interval's end, in bytes; absent without one.
    public var walBytes: UInt64?

    /// The accesses of one client in one second.
    public struct Client: Sendable, Codable, Equatable {
        /// Completed accesses, whether or not they count in the result.
        public var completed: UInt64
        /// Completed accesses per second.
        public var throughput: Double
        /// The times from intended start to end.
        public var response: LatencySummary?
        /// The times from start to entry into the closure.
        public var wait: LatencySummary?
        /// The times from entry to end.
        public var service: LatencySummary?
    }
}
