import Telemetry

extension DashboardModel {
    /// Whether the help, a menu, or a prompt receives key presses.
    package var hasOverlay: Bool { overlay != nil }

    /// Replaces the history with recorded samples.
    package mutating func show(_ samples: some Sequence<Sample>) {
        let ghost = history.ghost
        history = History()
        history.ghost = ghost
        frozen = nil
        pendingInterrupt = nil
        for sample in samples { ingest(sample) }
    }

    /// Draws the samples of a second recording behind the displayed samples.
    ///
    /// The times are in seconds on the time axis of the displayed samples, in ascending order.
    package mutating func showGhost(_ samples: [(sample: Sample, time: Double)]) {
        let ghost = Ghost(samples.map { Moment($0.sample, time: $0.time) })
        history.ghost = ghost
        frozen?.ghost = ghost
    }

    /// Discards the requested settings, because a replay cannot apply them.
    package mutating func discardRequestedSettings() { requestedSettings = [:] }
}
