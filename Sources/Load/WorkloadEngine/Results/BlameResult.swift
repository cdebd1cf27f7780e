import Findings
import Scenarios
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

    package var sentence: String { "aborted after \(ReportUnits.seconds(seconds)): \(reason)" }
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

/// The details of a `SQLITE_BUSY` failure that a target can report.
public struct BusyFailure: Sendable, Codable, Hashable {
    /// The role of the connection's busy handler in the failure.
    public enum Handler: Sendable, Codable, Hashable {
        /// The target does not report the handler's role.
        case unknown
        /// SQLite did not call the handler, because waiting could cause a deadlock.
        ///
        /// A transaction tried to write after a read while another connection was writing.
        case skipped
        /// The handler stopped waiting.
        ///
        /// Both times are in nanoseconds. The timeout is `nil` if unknown.
        case gaveUp(waited: UInt64, timeout: UInt64?)
    }

    /// The SQL that failed, or `nil` if unknown.
    public var statement: String?
    /// The role of the busy handler.
    public var handler: Handler
    /// The client that held the lock or last changed the database, or `nil` if unknown.
    public var holder: String?

    /// Creates a description of a failure.
    public init(statement: String? = nil, handler: Handler = .unknown, holder: String? = nil) {
        self.statement = statement
        self.handler = handler
        self.holder = holder
    }
}

extension BlameResult {
    /// The share of the response time that waits must reach for the report to explain them.
    private static let notableShare = 0.1

    /// Returns sentences such as `ui: p99 is 48.0 ms; the 10 slowest took 50.0 ms on average …`.
    package func sentences(of client: String) -> [String] {
        let waiting = queued + waited
        let share = Double(waiting) / Double(max(1, response))
        // Explain why a percentile other than p99 is shown.
        let title =
            switch beyond {
            case "max": "the slowest access (too few accesses for a percentile) took"
            case "p99": "p99 is"
            default: "\(beyond) (too few accesses for p99) is"
            }
        let head = "\(client): \(title) \(ReportUnits.time(from))"
        guard share >= Self.notableShare else {
            return [
                "\(head), \(ReportUnits.percent(1 - share)) of it inside the access, not waiting"
            ]
        }
        var parts: [String] = []
        if waited > 0 {
            parts.append("\(ReportUnits.time(waited)) waiting for \(Self.name(of: resource))")
        }
        if queued > 0 {
            parts.append(
                "\(ReportUnits.time(queued)) of lag, waiting for a worker of '\(client)'"
            )
        }
        let whole =
            accesses == 1
            ? "it spent "
            : "the \(HumanUnits.exact(UInt64(clamping: accesses))) slowest took "
                + "\(ReportUnits.time(response)) on average and spent "
        var lines = ["\(head); " + whole + parts.joined(separator: " and ")]
        if let sentence = holderSentence(client) { lines.append("  " + sentence) }
        return lines
    }

    /// Returns text such as `meanwhile, 'report' held 3.9 of 4 readers (up to 10.3 s at a time)`.
    private func holderSentence(_ client: String) -> String? {
        guard let resource else { return nil }
        let isCounted = resource == .reader
        let counts = HeldConnections.texts(holders.map(\.held), of: capacity)
        let known = holders.prefix(4).enumerated().map { index, holder in
            let name = holder.client == client ? "'\(client)' itself" : "'\(holder.client)'"
            var text = isCounted ? counts[index] : ReportUnits.percent(holder.held)
            if index == 0 {
                let readers = capacity.map { " of \($0) reader" + ($0 == 1 ? "" : "s") }
                text =
                    isCounted
                    ? "held \(text)" + (readers ?? " readers")
                    : "held \(Self.name(of: resource)) \(text) of the time"
            }
            let longest = ReportUnits.time(holder.longest)
            return "\(name) \(text) (up to \(longest)" + (index == 0 ? " at a time)" : ")")
        }
        guard !known.isEmpty else {
            return "no client in this run held \(Self.name(of: resource)) during that time: "
                + "another process did, or the transaction started slowly"
        }
        return "meanwhile, " + known.joined(separator: ", ")
    }

    private static func name(of resource: AccessResource?) -> String {
        switch resource {
        case .reader?: "a reader"
        case .writer?: "the writer"
        case .connection?: "the connection"
        case nil: "its transaction to start"
        }
    }
}
