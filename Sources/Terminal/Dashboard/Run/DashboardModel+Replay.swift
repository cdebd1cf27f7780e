import Telemetry

extension DashboardModel {
    /// Whether the help, a menu, or a prompt receives key presses.
    package var hasOverlay: Bool { overlay != nil }

    /// Replaces the history with recorded samples.
    package mutating func show(_ samples: some Sequence<Sample>) {
        history = History()
        frozen = nil
        pendingInterrupt = nil
        for sample in samples { ingest(sample) }
    }

    /// Discards the requested settings, because a replay cannot apply them.
    package mutating func discardRequestedSettings() { requestedSettings = [:] }
}
