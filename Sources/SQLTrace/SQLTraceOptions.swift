/// How SQL is traced.
public struct SQLTraceOptions: Sendable, Equatable {
    /// What is recorded of each execution.
    public enum Level: String, Sendable, Codable, CaseIterable, Equatable {
        /// Its end: calls, results, transactions and instructions are exact; no times or rows.
        case light
        /// As `light`, and the steps of the statements that start in short windows: times and rows
        /// are estimates.
        case timed
        /// All steps of selected processes.
        case full
    }

    /// What is recorded.
    public var level = Level.light
    /// The processes that are traced in full.
    public var processes: [Int32] = []
    /// Whether statements are shown with their literals.
    public var showsLiterals = false
    /// Whether bound values are read, and handed to consumers of executions.
    public var readsValues = false
    /// The share of its time that a program may lose to probes before tracing backs off.
    public var shareLimit = 0.05

    /// Creates the default options.
    public init() {}
}

/// The commands of the processes that a trace starts.
public struct SQLTraceCommands: Sendable, Equatable {
    /// A program, and its arguments, that calls ``SQLCalibration/run()``.
    public var calibration: [String]
    /// A program, and its arguments, that calls ``TraceGuardian/run(name:)`` with the argument that
    /// follows these.
    public var guardian: [String]

    /// A program, and its arguments, that calls ``StatementPlanning/run()``; without one, no plans
    /// are made.
    public var planning: [String]

    /// Creates them.
    public init(calibration: [String], guardian: [String], planning: [String] = []) {
        self.calibration = calibration
        self.guardian = guardian
        self.planning = planning
    }
}
