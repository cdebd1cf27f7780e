extension RecordingContents {
    /// The shortest period without samples that counts as a gap, in milliseconds.
    private static let shortestGap: Int64 = 3_000

    /// Returns the periods without samples, ordered by start.
    ///
    /// These are the recorded gaps, the periods between sessions, and unusually long periods
    /// without a sample within a session.
    package func allGaps() -> [RecordedGap] {
        var found = gaps
        var last: [Int64: Int64] = [:]
        var previous: (session: RecordedSession, time: Int64)?
        let limits = gapLimits()
        for row in rows {
            guard let session = session(of: row) else { continue }
            if let previous, previous.session.id != session.id, last[session.id] == nil {
                let reason = previous.session.endReason ?? "the recorder was killed"
                found.append(
                    RecordedGap(
                        start: previous.time,
                        end: row.time,
                        reason: "between two sessions: \(reason)"
                    )
                )
            }
            if let before = last[session.id],
                row.time - before > limits[session.id] ?? Self.shortestGap
            {
                let isKnown = gaps.contains { $0.start < row.time && before < $0.end }
                if !isKnown {
                    found.append(
                        RecordedGap(start: before, end: row.time, reason: "there is no sample")
                    )
                }
            }
            last[session.id] = row.time
            previous = (session, row.time)
        }
        return found.sorted { ($0.start, $0.end) < ($1.start, $1.end) }
    }

    /// Returns the maximum time between two samples that is not a gap, in milliseconds, keyed by
    /// the identifier of the session.
    private func gapLimits() -> [Int64: Int64] {
        var distances: [Int64: [Int64]] = [:]
        var last: [Int64: Int64] = [:]
        for row in rows {
            guard sources.indices.contains(row.source) else { continue }
            let session = sources[row.source].session
            if let before = last[session], row.time > before {
                distances[session, default: []].append(row.time - before)
            }
            last[session] = row.time
        }
        return distances.mapValues { distances in
            let median = distances.sorted()[distances.count / 2]
            return max(Self.shortestGap, 5 * median)
        }
    }
}
