import Recording
import Telemetry

/// The correspondence between the times of two runs.
struct PhaseAlignment {
    let shown: RecordedRun
    let ghost: RecordedRun

    /// Whether phases with the same name are aligned at their starts.
    ///
    /// If the runs have no phase in common, the starts of the runs are aligned.
    var isByPhase: Bool {
        shown.phases.contains { !$0.name.isEmpty && ghost.phase(named: $0.name) != nil }
    }

    /// Returns the time in the displayed run, in seconds, that corresponds to a sample of the other
    /// run.
    ///
    /// Returns `nil` if the displayed run does not have the sample's phase, or if that phase ended
    /// before the sample's time.
    func shownTime(of sample: Sample) -> Double? {
        guard isByPhase else { return sample.time }
        guard let index = shown.phases.firstIndex(where: { $0.name == sample.phase }),
            let start = ghost.phase(named: sample.phase)?.start
        else { return nil }
        let time = sample.time - start + shown.phases[index].start
        let next = shown.phases.indices.contains(index + 1) ? shown.phases[index + 1].start : nil
        return next.map { time < $0 } ?? true ? time : nil
    }

    /// Finds the time in the other run that corresponds to a sample of the displayed run.
    ///
    /// - Parameters:
    ///   - sample: A sample of the displayed run.
    ///   - rows: The samples of the other recording.
    /// - Returns: The time in the other recording, in milliseconds since 1970, or `nil` if the
    ///   other run does not have the sample's phase.
    func ghostTime(for sample: Sample, in rows: [RecordedRow]) -> Int64? {
        let phase: RecordedRun.Phase?
        var elapsed = sample.time
        if isByPhase {
            phase = ghost.phase(named: sample.phase)
            elapsed -= shown.phase(named: sample.phase)?.start ?? 0
        } else {
            phase = ghost.phases.first
            elapsed -= phase?.start ?? 0
        }
        guard let phase, elapsed.isFinite else { return nil }
        let last = isByPhase ? phase.last : ghost.range.upperBound
        let time = rows[phase.first].time + Int64(min(max(elapsed, 0), 1e9) * 1000)
        return min(time, rows[last].time)
    }
}
