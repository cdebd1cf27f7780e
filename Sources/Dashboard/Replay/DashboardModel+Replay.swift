import Telemetry

extension DashboardModel {
    /// Whether a help, a menu, or a prompt receives the keys.
    package var hasOverlay: Bool { overlay != nil }

    /// Replaces the history with recorded samples.
    package mutating func show(_ samples: some Sequence<Sample>) {
        let ghost = history.ghost
        history = History()
        history.ghost = ghost
        frozen = nil
        interrupt = nil
        for sample in samples { ingest(sample) }
    }

    /// Draws samples of a second recording under the displayed samples.
    ///
    /// The times are in seconds on the axis of the displayed samples, in ascending order.
    package mutating func showGhost(_ samples: [(sample: Sample, time: Double)]) {
        let ghost = Ghost(samples.map { Moment($0.sample, time: $0.time) })
        history.ghost = ghost
        frozen?.ghost = ghost
    }

    /// Removes the effect of a setting that a replay cannot change.
    package mutating func refuseSettings() { requestedKnobs = [:] }
}
