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

    /// Draws the reports of a second recording behind the displayed reports.
    ///
    /// Each key is the path of a database. The times are in seconds since the start of each
    /// recording, in ascending order.
    package mutating func showGhost(_ reports: [String: [(report: WatchReport, time: Double)]]) {
        for index in databases.indices {
            let found = reports[databases[index].path] ?? []
            databases[index].ghost = Ghost(
                found.map { WatchMoment($0.report, time: $0.time) }
            )
        }
    }
}
