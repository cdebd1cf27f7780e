import Recording
import Telemetry

/// A run of one arm in a recording, and the start of each of its phases.
struct RecordedRun: Equatable {
    struct Phase: Equatable {
        var name: String
        /// The time of the first sample, in seconds since the start of the run.
        var start: Double
        /// The row index of the first sample in the recording.
        var first: Int
        /// The row index of the last sample in the recording.
        var last: Int
    }

    var arm: String
    var phases: [Phase]

    /// The row indices of the first and last samples in the recording.
    var range: ClosedRange<Int> { (phases.first?.first ?? 0)...(phases.last?.last ?? 0) }

    /// Returns the first phase with a name, or `nil` if the run has no such phase.
    func phase(named name: String) -> Phase? { phases.first { $0.name == name } }
}

/// A search for an arm's runs in a recording.
///
/// The search decodes only a few samples of each phase.
struct RecordedRuns {
    private let contents: RecordingContents
    private let sample: (Int) -> Sample?
    private var cache: [String: [RecordedRun]] = [:]

    /// Creates a search.
    ///
    /// `sample` returns the sample at an index of the recording's rows, or `nil` if the sample is
    /// damaged.
    init(_ contents: RecordingContents, _ sample: @escaping (Int) -> Sample?) {
        self.contents = contents
        self.sample = sample
    }

    /// The names of the arms, in the order of their first runs.
    var arms: [String] {
        var names: [String] = []
        for source in contents.sources where !names.contains(source.name) {
            names.append(source.name)
        }
        return names
    }

    /// Returns the runs of an arm, in the order of their starts.
    mutating func runs(of arm: String) -> [RecordedRun] {
        if let runs = cache[arm] { return runs }
        let sources = Set(contents.sources.indices.filter { contents.sources[$0].name == arm })
        let rows = contents.rows.indices.filter { sources.contains(contents.rows[$0].source) }
        let runs = Search(rows: rows, sample: sample).runs(of: arm)
        cache[arm] = runs
        return runs
    }

    /// A search of one arm's samples.
    private struct Search {
        let rows: [Int]
        let sample: (Int) -> Sample?

        private struct Mark {
            var position: Int
            var sample: Sample

            /// Returns whether a later sample belongs to the same run.
            ///
            /// Each run numbers its samples from 0. Within a run, sample numbers increase at least
            /// as fast as sample positions.
            func isInSameRun(as later: Mark) -> Bool {
                later.sample.sequence - sample.sequence >= later.position - position
            }

            func isInSamePhase(as later: Mark) -> Bool {
                isInSameRun(as: later) && sample.phase == later.sample.phase
            }
        }

        func runs(of arm: String) -> [RecordedRun] {
            guard let first = mark(0, .forward), let last = mark(rows.count - 1, .backward) else {
                return []
            }
            var starts = [first]
            addStarts(after: first, until: last, &starts)
            var runs: [RecordedRun] = []
            for (index, start) in starts.enumerated() {
                let next = index + 1 < starts.count ? starts[index + 1].position : rows.count
                let phase = RecordedRun.Phase(
                    name: start.sample.phase,
                    start: start.sample.time,
                    first: rows[start.position],
                    last: rows[max(start.position, next - 1)]
                )
                if index > 0, starts[index - 1].isInSameRun(as: start) {
                    runs[runs.count - 1].phases.append(phase)
                } else {
                    runs.append(RecordedRun(arm: arm, phases: [phase]))
                }
            }
            return runs
        }

        /// Adds the starts of phases between two samples.
        ///
        /// If two samples belong to the same phase of a run, all samples between them also belong
        /// to it.
        private func addStarts(after low: Mark, until high: Mark, _ starts: inout [Mark]) {
            guard low.position < high.position, !low.isInSamePhase(as: high) else { return }
            guard high.position - low.position > 1,
                let middle = mark((low.position + high.position) / 2, .forward),
                middle.position > low.position, middle.position < high.position
            else { return starts.append(high) }
            addStarts(after: low, until: middle, &starts)
            addStarts(after: middle, until: high, &starts)
        }

        private enum Direction { case forward, backward }

        /// Decodes the first intact sample at or beyond a position.
        private func mark(_ position: Int, _ direction: Direction) -> Mark? {
            var position = position
            while rows.indices.contains(position) {
                if let sample = sample(rows[position]) {
                    return Mark(position: position, sample: sample)
                }
                position += direction == .forward ? 1 : -1
            }
            return nil
        }
    }
}
