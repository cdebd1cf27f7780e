import Telemetry

extension DashboardModel {
    /// Whether a help, a menu, or a prompt receives the keys.
    package var hasOverlay: Bool { overlay != nil }

    /// Replaces the history with recorded samples.
    package mutating func show(_ samples: some Sequence<Sample>) {
        history = History()
        frozen = nil
        interrupt = nil
        for sample in samples { ingest(sample) }
    }

    /// Removes the effect of a setting that a replay cannot change.
    package mutating func refuseSettings() { requestedKnobs = [:] }
}
