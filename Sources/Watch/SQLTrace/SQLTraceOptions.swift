/// Options for SQL tracing.
public struct SQLTraceOptions: Sendable, Equatable {
    /// The IDs of the processes to trace, or an empty array to trace all that use the databases.
    public var processes: [Int32] = []
    /// Whether reports show statements with their literals.
    public var showsLiterals = false
    /// Whether the session reads bound values and adds them to executions.
    public var readsValues = false
    /// By which part the statements of a thread may take longer on average, such as 0.05.
    ///
    /// A process that would become slower is traced only in windows. 0 traces all processes all the
    /// time.
    public var shareLimit = 0.05

    /// Whether to trace the programs that another process has started with the library, without
    /// probes.
    package var readsStartedPrograms = false

    /// Creates options with default values.
    public init() {}
}

/// The commands for the processes that a trace session starts.
public struct SQLTraceCommands: Sendable, Equatable {
    /// The path and arguments of a program that calls ``SQLCalibration/run(_:)``.
    public var calibration: [String]

    /// The path and arguments of a program that calls ``StatementPlanning/run()``.
    ///
    /// If the array is empty, reports contain no plans.
    public var planning: [String]

    /// The path and arguments of a program that calls ``OpenGate/run(waits:)``.
    ///
    /// If the array is empty, statements that a program executes immediately after it opens a
    /// database are missing.
    public var opening: [String]

    /// Creates the commands.
    public init(calibration: [String], planning: [String] = [], opening: [String] = []) {
        self.calibration = calibration
        self.planning = planning
        self.opening = opening
    }
}
