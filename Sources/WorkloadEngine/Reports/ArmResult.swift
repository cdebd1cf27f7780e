import Telemetry

/// What the run of one arm gave.
public struct ArmResult: Sendable, Codable, Equatable {
    /// The arm's name.
    public var arm: String
    /// Whether the numbers speak of the database, and not of the program that made the load.
    public var valid: Bool
    /// Why they do not; absent when they do.
    public var invalidReason: String?
    /// Whether the run was stopped before its end.
    public var partial: Bool
    /// How long the measured phases lasted, in seconds.
    public var duration: Double
    /// Facts about the open database, such as `journal_mode`.
    public var environment: [String: String]
    /// The clients that ran, by name.
    public var clients: [String: ClientResult]
    /// The clients that this arm could not run, with the reason; absent when there are none.
    public var unsupported: [String: String]?
    /// The connections; absent for a target that cannot be watched.
    public var pool: PoolResult?
    /// The write-ahead log; absent without one.
    public var wal: WALResult?
    /// The snapshots; absent for a target that cannot be watched.
    public var snapshots: SnapshotResult?
    /// The interrupts; absent for a target that cannot be watched.
    public var interrupts: InterruptStatus?
    /// Who held the locks when accesses found the database busy, and how often.
    ///
    /// Absent when none did. `this process` is the one that makes the load.
    public var busyHolders: [String: UInt64]?
    /// How often the guard of captured SQL refused a statement, by what it refused, such as
    /// `ATTACH`; absent when it refused nothing.
    public var refusals: [String: UInt64]?
    /// What the slow accesses of each client waited for, by its name; absent without any.
    public var blame: [String: BlameResult]?
    /// What the run saw of itself.
    public var generator: GeneratorResult
    /// The load as it was asked for, which a simulation can repeat; absent in results of older
    /// versions.
    public var load: RecordedLoad?
    /// The scenario's thresholds, in its order.
    public var thresholds: [ThresholdResult]
    /// The scenario's invariants, in its order.
    public var invariants: [InvariantResult]
    /// One record for each second.
    public var intervals: [IntervalResult]
    /// Why the run failed, though it came to its end; absent when it did not.
    public var failures: [String]?
}

/// What one client's accesses counted and took.
public struct ClientResult: Sendable, Codable, Equatable {
    /// Accesses that the load model asked for; always
    /// `completed + skipped + errors + interrupted + unfinished`.
    public var offered: UInt64
    /// Accesses that started.
    public var started: UInt64
    /// Accesses that ended well.
    public var completed: UInt64
    /// Accesses given up because they were later than `skip-after` when their turn came.
    public var skipped: UInt64
    /// Accesses that started more than a millisecond after their intended time.
    public var late: UInt64
    /// Further tries after a busy database.
    public var retried: UInt64
    /// Accesses that ended with an interrupt.
    public var interrupted: UInt64
    /// Accesses that were queued or running when the run and its drain ended.
    public var unfinished: UInt64
    /// Accesses that failed, by the name of their code.
    public var errors: [String: UInt64]
    /// Completed accesses per second of the measured time.
    public var throughput: Double?
    /// The rate of arrivals that it aimed at, in accesses/s; absent in a closed loop.
    public var targetRate: Double?
    /// From the intended start to the end, of completed accesses.
    public var response: LatencySummary?
    /// From the start to the entry into the closure, of completed accesses.
    public var wait: LatencySummary?
    /// From the entry to the end, of completed accesses.
    public var service: LatencySummary?
    /// From the intended start to the start; absent where there is no schedule.
    public var lag: LatencySummary?
    /// The processor time from the entry to the end, on average over the completed accesses that
    /// were looked at, in nanoseconds; absent where none was.
    public var processorMean: UInt64?
    /// How its latencies are spread; absent inside a phase, inside the only operation of a client
    /// and without any.
    public var spectra: LatencySpectra?
    /// What came of the interrupts that were aimed at its accesses; absent when there were none.
    public var interrupts: InterruptStatus?
    /// Its checkpoints; absent when it made none.
    public var checkpoints: CheckpointResult?
    /// The size of its last backup, in bytes; absent when it made none.
    public var backupBytes: UInt64?
    /// The same for each of its operations, by name; absent inside an operation.
    public var operations: [String: ClientResult]?
    /// The same for each phase, by name, those included that are not measured; absent inside a
    /// phase and inside an operation.
    public var phases: [String: ClientResult]?
    /// How SQLite executes it; only inside an operation.
    public var profile: OperationProfile?
    /// How its accesses were timed; absent inside a phase and inside an operation.
    public var loop: Loop?
    /// What its percentiles do not show; absent when there is nothing.
    public var caveat: String?

    /// How accesses are timed.
    public enum Loop: String, Sendable, Codable, Equatable {
        /// They arrive on a schedule of their own, whether or not somebody is free.
        case open
        /// The next one starts when the last one has ended.
        case closed
        /// At moments that the scenario names.
        case scheduled
    }

    /// The sum of all errors.
    public var errorCount: UInt64 { errors.values.reduce(0, +) }

    /// Whether every offered access is accounted for.
    public var isBalanced: Bool {
        offered == completed + skipped + errorCount + interrupted + unfinished
    }
}

/// What the connections did.
public struct PoolResult: Sendable, Codable, Equatable {
    /// `maximumReaderCount`; absent for a queue.
    public var maximumReaderCount: Int?
    /// The most readers in use at the same time; absent for a queue.
    public var readersPeak: Int?
    /// Time-weighted readers in use over the maximum, in 0…1; absent for a queue.
    public var utilization: Double?
    /// The share of time, in 0…1, in which all readers were in use and somebody waited; absent
    /// for a queue.
    public var saturation: Double?
    /// The most accesses that waited to read at once, in the measured time.
    public var waitingReadersPeak: Int
    /// The most accesses that waited to write at once, in the measured time.
    public var waitingWritersPeak: Int
    /// Whether the numbers of waiting accesses are the largest of ten samples a second, because the
    /// library does not count them; absent where it does.
    public var peaksAreSampled: Bool?
    /// How long accesses waited for a connection, in the measured time.
    ///
    /// It is zero for those that found one free. A pool's connections are its readers here; for
    /// the other one see ``writerAcquire``.
    public var acquire: LatencySummary?
    /// The share of accesses, in 0…1, that found a connection free: their wait counts as zero.
    public var acquiredAtOnce: Double?
    /// How long accesses held a connection, in the measured time.
    public var hold: LatencySummary?
    /// How long a pool's accesses waited for its writer, in the measured time.
    public var writerAcquire: LatencySummary?
    /// The share of a pool's writes, in 0…1, that found the writer free.
    public var writerAcquiredAtOnce: Double?
    /// How long accesses held a pool's writer, in the measured time.
    public var writerHold: LatencySummary?
}

/// What the write-ahead log did.
public struct WALResult: Sendable, Codable, Equatable {
    /// The largest size of the log that was seen, in bytes.
    public var peakBytes: UInt64
    /// Its size at the end, in bytes.
    public var finalBytes: UInt64
    /// By how much it grew in the measured time, in bytes; what no pin explains is what a log
    /// grows to between two checkpoints.
    public var grownBytes: UInt64?
    /// Who kept it from shrinking, longest first.
    public var pins: [Pin]

    /// Somebody who kept the log from shrinking, for a reason.
    public struct Pin: Sendable, Codable, Equatable {
        /// Who: a client's name.
        public var by: String
        /// Why the log did not shrink, such as `oldReader`.
        public var cause: String
        /// By how much the log grew meanwhile, in bytes.
        public var bytes: UInt64
        /// For how long, in seconds, as far as ten looks a second show it.
        public var seconds: Double
    }
}

/// What snapshots there were.
public struct SnapshotResult: Sendable, Codable, Equatable {
    /// How many were made.
    public var made: UInt64
    /// The greatest age that was seen, in seconds; absent when there was none.
    public var oldestSeconds: Double?
}

/// What the program that made the load saw of itself.
public struct GeneratorResult: Sendable, Codable, Equatable {
    /// The generator's own part of all processor time that the machine had, in 0…1: what it spent
    /// around the accesses and on sampling.
    public var cpuShare: Double?
    /// How late accesses started whose worker was free, 99th percentile in nanoseconds; absent
    /// with fewer than ten beyond it.
    public var lagP99: UInt64?
    /// What an access of a target that does nothing costs, in nanoseconds.
    public var noop: UInt64?
    /// The share of the machine's processor time, in 0…1, that its host gave to other machines;
    /// absent where the system does not tell.
    public var stealShare: Double?
}

/// How a threshold was met.
public struct ThresholdResult: Sendable, Codable, Equatable {
    /// The metric, such as `ui.response`.
    public var metric: String
    /// The expression as it was written.
    public var expression: String
    /// What was measured, in the metric's base unit; absent without samples.
    public var observed: Double?
    /// Whether it was met; absent when that is undecided, and when this arm cannot run the client.
    public var passed: Bool?
    /// Whether there were too few samples to decide; absent when there were enough.
    public var undecided: Bool?
    /// The measured time that gives enough samples at this run's rate, in seconds; absent where
    /// it is not known.
    public var decidingSeconds: Double?
}

/// How an invariant held.
public struct InvariantResult: Sendable, Codable, Equatable {
    /// The invariant's name.
    public var name: String
    /// Whether it held; absent when there was nothing to check.
    public var passed: Bool?
    /// What was seen.
    public var detail: String
}

/// One second of a run.
public struct IntervalResult: Sendable, Codable, Equatable {
    /// The interval's end, in seconds since the load began, pauses left out.
    public var time: Double
    /// Its length in seconds.
    public var duration: Double
    /// The phase at its end.
    public var phase: String
    /// Whether that phase is measured.
    public var measured: Bool
    /// The clients, by name.
    public var clients: [String: Client]
    /// Time-weighted readers in use over the maximum, in 0…1; absent for a queue.
    public var utilization: Double?
    /// The share of time in which all readers were in use and somebody waited; absent for a queue.
    public var saturation: Double?
    /// Those who wait for reading at its end; absent for a target that cannot be watched.
    public var waitingReaders: Int?
    /// Those who wait for writing at its end; absent for a target that cannot be watched.
    public var waitingWriters: Int?
    /// The size of the write-ahead log at its end, in bytes; absent without one.
    public var walBytes: UInt64?

    /// What one client did in one second.
    public struct Client: Sendable, Codable, Equatable {
        /// Its completed accesses, whether or not they count in the result.
        public var completed: UInt64
        /// Completed accesses per second.
        public var throughput: Double
        /// From the intended start to the end.
        public var response: LatencySummary?
        /// From the start to the entry into the closure.
        public var wait: LatencySummary?
        /// From the entry to the end.
        public var service: LatencySummary?
    }
}
