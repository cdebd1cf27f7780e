import SQLiteWatch

extension WatchDashboard {
    /// Whether a help or a prompt receives the keys.
    package var hasOverlay: Bool { overlay != nil }

    /// Replaces the history with recorded reports.
    ///
    /// - Parameters:
    ///   - reports: The reports, by time.
    ///   - start: The start of the recording, which is time 0 of the charts.
    package mutating func show(_ reports: some Sequence<WatchReport>, start: WatchTime) {
        databases = []
        frozen = nil
        self.start = start
        for report in reports { ingest([report]) }
    }
}
