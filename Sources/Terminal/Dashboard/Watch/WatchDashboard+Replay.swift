import Findings
import SQLiteWatch

extension WatchDashboard {
    /// Whether the help or a prompt receives key presses.
    package var hasOverlay: Bool { overlay != nil }

    /// Replaces the history with recorded reports.
    ///
    /// - Parameters:
    ///   - reports: The reports, in chronological order.
    ///   - start: The start of the recording, which is time 0 in charts.
    package mutating func show(_ reports: some Sequence<WatchReport>, start: WatchTime) {
        databases = []
        frozen = nil
        self.start = start
        for report in reports { ingest([report]) }
    }
}
