import Findings

/// A condition on a report, such as "a pin is older than 30 seconds".
public struct WatchCondition: Sendable, Equatable {
    /// A number in a report.
    public enum Metric: String, Sendable, CaseIterable {
        /// The age of the oldest pin, in seconds.
        case pin
        /// The number of frames that readers pin in the log.
        case pinFrames = "pin.frames"
        /// The size of the pinned frames, in bytes.
        case pinBytes = "pin.bytes"
        /// The longest time that a process has held a write lock, in seconds.
        case writer
        /// The longest time, in seconds, that a process held a write lock that it still holds or
        /// released in the interval.
        ///
        /// If no process waits for a lock and it is released before the end of the interval, the lock
        /// counts only if it was held for at least a second.
        case hold
        /// The largest share of time that a process held a write lock, from 0 to 1.
        case writerShare = "writer.share"
        /// The age of the oldest running checkpoint, in seconds.
        case checkpoint
        /// The number of processes that are probably waiting.
        case waiting
        /// The size of the `-wal` file, in bytes.
        case log
        /// The number of frames in use in the log.
        case logFrames = "log.frames"
        /// The number of commits or rollback-journal transactions per second.
        case commits
        /// The number of processes that use the database.
        case processes
        /// The number of `SQLITE_BUSY` results since the trace or the previous report, which is unknown
        /// without a trace.
        case busy

        /// The unit of the metric.
        public var unit: Unit {
            switch self {
            case .pin, .writer, .hold, .checkpoint: .seconds
            case .pinBytes, .log: .bytes
            case .writerShare: .share
            case .commits: .rate
            case .pinFrames, .waiting, .logFrames, .processes, .busy: .count
            }
        }
    }

    /// The unit of a number.
    public enum Unit: Sendable {
        /// A time, in seconds.
        case seconds
        /// A size, in bytes.
        case bytes
        /// A share, from 0 to 1.
        case share
        /// A rate, per second.
        case rate
        /// A count.
        case count
    }

    /// The comparison of two numbers.
    public enum Comparison: String, Sendable, CaseIterable {
        /// The number is at least the limit.
        case atLeast = ">="
        /// The number is at most the limit.
        case atMost = "<="
        /// The number is above the limit.
        case more = ">"
        /// The number is below the limit.
        case less = "<"
    }

    /// The number to compare.
    public var metric: Metric
    /// The comparison.
    public var comparison: Comparison
    /// The limit, in the metric's unit.
    public var value: Double

    /// Creates a condition.
    public init(_ metric: Metric, _ comparison: Comparison, _ value: Double) {
        self.metric = metric
        self.comparison = comparison
        self.value = value
    }

    /// Returns whether a report meets the condition.
    ///
    /// If the database cannot be watched, or the metric is unknown, the result is `false`. Counts are
    /// those since the previous report, or since the start of the watch if there is none.
    public func isMet(by report: WatchReport, after previous: WatchReport? = nil) -> Bool {
        guard report.file.state == .present else { return false }
        guard let observed = metric.value(in: report, after: previous) else { return false }
        return switch comparison {
        case .atLeast: observed >= value
        case .atMost: observed <= value
        case .more: observed > value
        case .less: observed < value
        }
    }
}

extension WatchCondition.Metric {
    /// Returns the metric's value in a report, or `nil` if it is unknown.
    package func value(in report: WatchReport, after previous: WatchReport? = nil) -> Double? {
        let locks = report.processes.flatMap(\.locks)
        func longest(_ isIncluded: (LockKind) -> Bool) -> Double {
            locks.filter { isIncluded($0.kind) }.map(\.seconds).max() ?? 0
        }
        return switch self {
        case .pin: report.pins.map(\.seconds).max() ?? 0
        case .pinFrames: report.wal.map { wal in wal.pinned.map { Double($0) } } ?? 0
        case .pinBytes: Double(report.pins.map(\.bytes).max() ?? 0)
        case .writer: longest(\.isWrite)
        case .hold:
            report.releasedHolds.reduce(
                locks.filter { $0.kind.isWrite && $0.isContinuous }.map(\.seconds).max() ?? 0,
                max
            )
        case .writerShare: report.processes.map(\.share.writer.value).max() ?? 0
        case .checkpoint: longest { $0 == .checkpoint }
        case .waiting: Double(report.processes.count { $0.waiting?.isWaiting == true })
        case .log: Double(report.wal?.bytes ?? 0)
        case .logFrames: report.wal.map { wal in wal.frames.map { Double($0) } } ?? 0
        case .commits:
            report.wal?.commitsPerSecond ?? report.rollback?.transactionsPerSecond
        case .processes: Double(report.processes.count)
        case .busy: report.busyCount.map { Double($0 - min($0, previous?.busyCount ?? 0)) }
        }
    }
}

extension WatchReport {
    /// The number of `SQLITE_BUSY` results since the start of the trace, or `nil` if SQL is not traced.
    package var busyCount: UInt64? { statements?.reduce(UInt64(0)) { $0 &+ $1.busy } }

    /// The durations of the write locks that processes held in the interval or still hold, and that
    /// they did not release in between, in seconds.
    fileprivate var releasedHolds: [Double] {
        let start = time.milliseconds - Int64(window.seconds * 1000)
        return episodes.filter { episode in
            [.writer, .exclusive].contains(episode.kind) && episode.isContinuous != false
                && episode.end.map { $0.milliseconds >= start } ?? true
        }.map(\.seconds)
    }
}
