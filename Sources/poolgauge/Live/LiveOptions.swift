import Telemetry
import WorkloadEngine

/// The options for runs in the dashboard.
struct LiveOptions {
    /// The first arm to run, or `nil` for the scenario's first arm.
    var arm: String?
    /// Whether the next arm starts automatically when an arm's run ends.
    var startsNextArm = false
    /// Whether the program quits when the arm's run ends.
    var endsWithRun = false
    /// A copy of the user's database, or `nil` to use the scenario's data.
    var database: UserDatabase?
    /// The file for the report, or `nil` to write one line per arm to standard output.
    var report: ReportDestination?
    var format = ReportFormat.text
    /// A closure that receives each sample, in addition to the dashboard.
    var onSample: (@Sendable (Sample) -> Void)?
    var display: DisplayOptions

    init() throws { display = try DisplayOptions() }

    init(display: DisplayOptions) { self.display = display }
}
