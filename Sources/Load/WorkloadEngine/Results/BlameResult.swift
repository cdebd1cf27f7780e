import Findings
import Telemetry
import Text

/// The causes of a client's slow accesses.
public struct BlameResult: Sendable, Codable, Equatable {
    /// The percentile above which response times are slow, such as `p99`, or `max`.
    ///
    /// The value is `max` if there were too few accesses for a percentile.
    public var beyond: String
    /// The response time at that percentile, in nanoseconds.
    public var from: UInt64
    /// The number of slow accesses that were analyzed.
    public var accesses: Int
    /// The mean response time of these accesses, in nanoseconds.
    ///
    /// This time is the sum of ``queued``, ``waited``, and ``service``.
    public var response: UInt64
    /// The mean time from intended start to actual start, in nanoseconds.
    ///
    /// During this time, accesses wait until a worker of the client is free and awake.
    public var queued: UInt64
    /// The mean time from access start to closure start, in nanoseconds.
    public var waited: UInt64
    /// The mean time inside the closure, in nanoseconds.
    public var service: UInt64
    /// The resource that the accesses need, or `nil` if each access has its own connection.
    public var resource: AccessResource?
    /// The number of connections that provide the resource, or `nil` if unknown.
    public var capacity: Int?
    /// The clients that held the resource during the waits, longest first.
    public var holders: [Holder]
    /// The slowest accesses, in descending order of response time.
    public var slowest: [Access]

    /// A client that held the resource.
    public struct Holder: Sendable, Codable, Equatable {
        /// The client's name.
        public var client: String
        /// The mean number of connections that the client held during the waits.
        public var held: Double
        /// The client's longest hold in the measured time, in nanoseconds.
        public var longest: UInt64
    }

    /// A slow access.
    public struct Access: Sendable, Codable, Equatable {
        /// The intended start, in seconds since the start of the load, including pauses.
        public var time: Double
        /// The operation's name.
        public var operation: String
        /// The time from intended start to end, in nanoseconds.
        public var response: UInt64
        /// The time from intended start to actual start, in nanoseconds.
        public var queued: UInt64
        /// The time from access start to closure start, in nanoseconds.
        public var waited: UInt64
        /// The time inside the closure, in nanoseconds.
        public var service: UInt64
        /// The mean number of connections that each client held during the wait, keyed by client
        /// name.
        public var held: [String: Double]
    }
}

/// The distribution of a client's accesses among its workers.
///
/// An equal share is the mean number of measured accesses that each worker completed. Shares are
/// `nil` if workers share a schedule of arrivals, because any worker can serve any arrival.
/// Shares are also `nil` if there are fewer than ten accesses per worker, or if the number of
/// workers changed during the load.
public struct FairnessResult: Sendable, Codable, Equatable {
    /// The number of workers.
    public var workers: Int
    /// The smallest number of accesses of any worker, relative to an equal share, from 0 to 1.
    public var smallestShare: Double?
    /// The largest number of accesses of any worker, relative to an equal share, at least 1.
    public var largestShare: Double?
    /// The longest wait of a measured access before its closure, in nanoseconds, or `nil` if
    /// unknown.
    ///
    /// Waits of accesses that failed or that waited until the end of the run are included.
    public var longestWait: UInt64?
    /// The number of the worker with the longest wait, starting at 1.
    ///
    /// This property is `nil` if workers share a schedule of arrivals.
    public var longestWaitWorker: Int?
}

extension FairnessResult {
    /// The mean number of accesses per worker below which shares are too random.
    private static let minimumMean = 10

    /// Combines each worker's measured accesses and longest wait, in nanoseconds.
    init(completed: [UInt64], waits: [UInt64?], sharesArrivals: Bool, isSteady: Bool) {
        workers = completed.count
        let total = completed.reduce(0, +)
        if !sharesArrivals, isSteady, total >= UInt64(completed.count * Self.minimumMean),
            let smallest = completed.min(), let largest = completed.max()
        {
            let mean = Double(total) / Double(completed.count)
            smallestShare = (Double(smallest) / mean).rounded(toDigits: 4)
            largestShare = (Double(largest) / mean).rounded(toDigits: 4)
        }
        let longest = waits.enumerated().max { ($0.element ?? 0) < ($1.element ?? 0) }
        guard let longest, let wait = longest.element else { return }
        longestWait = wait
        if !sharesArrivals { longestWaitWorker = longest.offset + 1 }
    }
}

/// A run's `SQLITE_BUSY` failures and blocked checkpoints, grouped by cause.
public struct BusyResult: Sendable, Codable, Equatable {
    /// The groups, most frequent first.
    public var groups: [Group]
    /// The number of failures omitted from ``groups`` because there were too many groups.
    public var others: UInt64

    /// Failures with the same cause, client, code, and statement.
    public struct Group: Sendable, Codable, Equatable {
        /// The cause.
        public var cause: BusyCause
        /// The client with the failed accesses.
        public var client: String
        /// The name of the extended result code, or `nil` for a checkpoint that reported a lock.
        public var code: String?
        /// The SQL that failed, or `nil` if the library does not report it.
        public var statement: String?
        /// The number of failures, including failures of retried accesses.
        public var count: UInt64
        /// The number of failures after which the access was retried.
        public var retried: UInt64
        /// The total wait before the failures, in nanoseconds, or `nil` if unknown.
        public var waited: UInt64?
        /// The longest wait, in nanoseconds, or `nil` if unknown.
        public var longestWait: UInt64?
        /// The busy timeout, in nanoseconds, or `nil` if unknown.
        public var timeout: UInt64?
        /// The number of failures for each client or process that held the lock.
        ///
        /// The key `unknown` counts failures with an unknown holder. For a failed upgrade, the
        /// holder is the client that wrote after the failed transaction read.
        public var holders: [String: UInt64]
        /// A remedy for these failures.
        public var remedy: String
    }
}

/// The threshold that ended a run early.
public struct AbortResult: Sendable, Codable, Equatable {
    /// The measured time before the threshold was missed, in seconds.
    public var seconds: Double
    /// The metric, such as `ui.response`.
    public var metric: String
    /// The threshold's expression as written in the scenario.
    public var expression: String
    /// The value at that time, in the metric's base unit, or `nil` if a lower percentile
    /// decided the threshold.
    public var observed: Double?
    /// A description, such as `p(99) of ui.response was 120 ms, limit 50ms`.
    public var reason: String

    var sentence: String { "aborted after \(ReportUnits.seconds(seconds)): \(reason)" }
}

/// The resource that an access needs before its closure runs.
public enum AccessResource: String, Sendable, Codable, Equatable {
    /// One of a pool's readers.
    case reader
    /// A pool's writer, or SQLite's write lock, which only one transaction can hold at a time.
    case writer
    /// The only connection of a queue, which reads and writes.
    case connection
}

extension AccessResource {
    /// Returns the resource that an access needs in an arm, or `nil` if accesses share no
    /// resource.
    static func needed(for access: WorkloadAccess, in arm: Arm) -> AccessResource? {
        let isWrite = access == .write || access == .writeWithoutTransaction
        guard isWrite || access == .read else { return nil }
        // With bare libsqlite3, each worker has its own connection, so only writes exclude each
        // other.
        if arm.library == .raw { return isWrite ? .writer : nil }
        switch arm.kind {
        case .queue, .memory, .snapshot: return .connection
        case .pool, .snapshotPool: return isWrite ? .writer : .reader
        }
    }

    /// Returns the number of accesses that can use the resource at the same time, or `nil` if the
    /// number of readers is unknown.
    func capacity(readers: Int?) -> Int? {
        switch self {
        case .reader: readers
        case .writer, .connection: 1
        }
    }
}

/// The reason that a database was busy.
public typealias BusyCause = Findings.BusyCause

extension BusyCause {
    /// Classifies a failure, or returns `nil` if its code is not `SQLITE_BUSY`.
    ///
    /// If SQLite returns a plain `SQLITE_BUSY` without calling the busy handler, a read
    /// transaction tried to write. SQLite skips the handler to avoid a deadlock, both in WAL mode
    /// and with a rollback journal (<https://sqlite.org/c3ref/busy_handler.html>).
    ///
    /// The arm's `timeout`, in nanoseconds, applies if the handler does not report its timeout.
    init?(code: String, handler: BusyFailure.Handler, timeout: UInt64?) {
        switch (code, handler) {
        case ("SQLITE_BUSY_SNAPSHOT", _): self = .snapshotUpgrade
        case ("SQLITE_BUSY_RECOVERY", _): self = .recovery
        case (let code, _) where !code.hasPrefix("SQLITE_BUSY"): return nil
        case (_, .skipped): self = .snapshotUpgrade
        case (_, .gaveUp(_, let limit)): self = (limit ?? timeout) == 0 ? .noTimeout : .timeout
        case (_, .unknown): self = timeout == 0 ? .noTimeout : .timeout
        }
    }
}
