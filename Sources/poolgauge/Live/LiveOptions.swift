import WorkloadEngine

/// The options of runs on the dashboard.
struct LiveOptions {
    /// The arm that runs first, or `nil` for the scenario's first arm.
    var arm: String?
    /// Whether the next arm starts automatically when an arm's run ends.
    var startsNextArm = false
    /// Whether the program quits when the arm's run ends.
    var endsWithRun = false
    /// A copy of the user's database for the runs, or `nil` for the scenario's data.
    var database: UserDatabase?
    /// The file for the report, or `nil` to write one line per arm to standard output.
    var report: ReportDestination?
    /// The format of the report.
    var format = ReportFormat.text
    /// The options of the display.
    var display: DisplayOptions

    /// Reads the configuration.
    ///
    /// - Throws: The errors in the configuration.
    init() throws { display = try DisplayOptions() }

    /// Creates options with the given display options.
    init(display: DisplayOptions) { self.display = display }
}
