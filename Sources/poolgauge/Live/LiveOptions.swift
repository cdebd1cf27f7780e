import WorkloadEngine

/// How runs are shown live.
struct LiveOptions {
    /// The arm that runs first; the scenario's first by default.
    var arm: String?
    /// Whether the next arm follows by itself when one has run to its end.
    var goesOn = false
    /// Whether the program ends when the arm has run to its end.
    var endsWithRun = false
    /// A copy of the user's database to run on; nil for the scenario's data.
    var database: UserDatabase?
    /// The file that receives the report; nil for one line for each arm on standard output.
    var report: ReportDestination?
    /// How it is written.
    var format = ReportFormat.text
    /// How the display looks.
    var display: DisplayOptions

    /// Reads the configuration.
    ///
    /// - Throws: What is wrong with it.
    init() throws { display = try DisplayOptions() }

    /// Shows runs on a display with these options.
    init(display: DisplayOptions) { self.display = display }
}
