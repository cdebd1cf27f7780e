/// The options of SQL tracing.
public struct SQLTraceOptions: Sendable, Equatable {
    /// The detail that is recorded for each execution.
    public enum Level: String, Sendable, Codable, CaseIterable, Equatable {
        /// The end of each execution: calls, results, transactions and instructions are exact; times
        /// and rows are not recorded.
        case light
        /// Like `light`, plus the steps of statements that start in short windows: times and rows are
        /// estimates.
        case timed
        /// All steps of selected processes.
        case full
    }

    /// The recorded detail.
    public var level = Level.light
    /// The processes that are traced in full.
    public var processes: [Int32] = []
    /// Whether statements are shown with their literals.
    public var showsLiterals = false
    /// Whether bound values are read and passed to consumers of executions.
    public var readsValues = false
    /// The share of its time, in 0…1, that a program may lose to probes before tracing pauses.
    public var shareLimit = 0.05

    /// Creates the default options.
    public init() {}
}

/// The commands of the processes that a trace starts.
public struct SQLTraceCommands: Sendable, Equatable {
    /// A program that calls ``SQLCalibration/run(measuresCost:)``, with its arguments.
    public var calibration: [String]
    /// A program that calls ``TraceGuardian/run(name:)``, with its arguments; the session appends the
    /// name as the last argument.
    public var guardian: [String]

    /// A program that calls ``StatementPlanning/run()``, with its arguments; if empty, reports
    /// contain no plans.
    public var planning: [String]

    /// Creates the commands.
    public init(calibration: [String], guardian: [String], planning: [String] = []) {
        self.calibration = calibration
        self.guardian = guardian
        self.planning = planning
    }
}
