/// The result of matching a file against the watched databases.
enum WatchedFileMatch: Sendable, Equatable {
    /// The watched database with this number.
    case watched(Int)
    /// A file that is not watched.
    case other
    /// A file with the path of a watched database, but possibly in a different root directory.
    case unknown
}

/// The state of a traced process.
struct TracedProcess {
    struct File: Equatable {
        var path: String
        var match: WatchedFileMatch
    }

    /// Whether the process started during tracing, so that all its events are known.
    var isNew: Bool
    var connections: [UInt64: File] = [:]
    /// The connections whose files were checked in this batch.
    var connectionsChecked: Set<UInt64> = []
    var statements: [UInt64: TracedStatement] = [:]
    /// The addresses of finalized statements.
    ///
    /// A statement at one of these addresses is new.
    private(set) var finalized: Set<UInt64> = []
    /// The timings of running statements, by statement address.
    var timings: [UInt64: StatementTiming] = [:]

    private static let capacity = 1 << 14

    init(isNew: Bool) { self.isNew = isNew }

    mutating func finalize(_ statement: UInt64) {
        statements[statement] = nil
        timings[statement] = nil
        if finalized.count >= Self.capacity { finalized = [] }
        finalized.insert(statement)
    }
}

struct TracedStatement {
    /// The address of the statement's text.
    var sql: UInt64
    /// The statement's text with redacted keys, or `nil` if unknown.
    var text: String?
    /// The instruction count after the last execution, or `nil` before the first one ends.
    var instructionCount: UInt32?
}

/// The time that a statement has spent in steps since its start.
struct StatementTiming: Equatable {
    /// The time of the first step, in nanoseconds.
    var start: UInt64
    var thread: Int32
    /// The time in steps without the cost of probes, in nanoseconds.
    var nanoseconds: UInt64 = 0
    /// The time between steps, with the cost of probes, in nanoseconds.
    var betweenSteps: UInt64 = 0
    var lastEnd: UInt64 = 0
    var steps: UInt64 = 0
    var rows: UInt64 = 0
    /// Whether recording stopped while the statement was running.
    ///
    /// In that case, the statement's time includes everything up to the end of the execution.
    var isCut = false

    /// Returns the time that the program spent between steps and after the last step, in seconds,
    /// or 0 if it is not longer than the cost of the probes.
    func secondsBetweenSteps(until end: UInt64, probes cost: UInt64) -> Double {
        let all = betweenSteps &+ (end - min(lastEnd, end))
        let probes = cost &* steps
        return all > 2 * probes ? Double(all - probes) / 1e9 : 0
    }
}
