/// Options for SQL tracing.
public struct SQLTraceOptions: Sendable, Equatable {
    /// The amount of detail to record for each execution.
    public enum Level: String, Sendable, Codable, CaseIterable, Equatable {
        /// Records the end of each execution.
        ///
        /// Calls, results, transactions, and instructions are exact, but times and rows are
        /// missing.
        case light
        /// Also records the steps of statements that start within short time windows, to estimate
        /// times and rows.
        case timed
        /// Records all steps of selected processes.
        case full
    }

    /// The amount of detail to record.
    public var level = Level.light
    /// The IDs of the processes to trace in full.
    public var processes: [Int32] = []
    /// Whether reports show statements with their literals.
    public var showsLiterals = false
    /// Whether the session reads bound values and adds them to executions.
    public var readsValues = false
    /// The share of time, from 0 to 1, that a program may lose to probes before tracing pauses.
    public var shareLimit = 0.05

    /// Creates options with default values.
    public init() {}
}

/// The commands for the processes that a trace session starts.
public struct SQLTraceCommands: Sendable, Equatable {
    /// The path and arguments of a program that calls ``SQLCalibration/run(measuresCost:)``.
    public var calibration: [String]
    /// The path and arguments of a program that calls ``TraceGuardian/run(name:)``.
    ///
    /// The session appends its name as the last argument.
    public var guardian: [String]

    /// The path and arguments of a program that calls ``StatementPlanning/run()``.
    ///
    /// If the array is empty, reports contain no plans.
    public var planning: [String]

    /// Creates the commands.
    public init(calibration: [String], guardian: [String], planning: [String] = []) {
        self.calibration = calibration
        self.guardian = guardian
        self.planning = planning
    }
}
