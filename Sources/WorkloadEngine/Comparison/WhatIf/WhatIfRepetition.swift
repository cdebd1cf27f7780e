/// New runs in the recorded setting, which show whether the machine has changed.
package struct WhatIfRepetition: Sendable, Codable, Equatable {
    /// The number of runs.
    package var runs: Int
    /// The clients' waits, keyed by name, for clients with recorded and new 99th percentiles.
    package var clients: [String: Client]
    /// The reason that the new or recorded numbers are unreliable, if any.
    package var problem: String?

    /// The 99th percentiles of a client's recorded and new waits, in nanoseconds.
    package struct Client: Sendable, Codable, Equatable {
        /// The recorded wait.
        package var recorded: UInt64
        /// The new wait in all runs together.
        package var now: UInt64
        /// The smallest new wait of a single run, or `nil` if there is only one run or a run has
        /// too few accesses.
        package var least: UInt64?
        /// The largest new wait of a single run, or `nil` if ``least`` is `nil`.
        package var most: UInt64?
        /// The verdict.
        package var verdict: Verdict
    }

    /// The verdict on whether a client's wait has changed.
    package enum Verdict: String, Sendable, Codable {
        /// The waits differ by at most 25% of the new wait or by at most one millisecond.
        case same
        /// The waits differ by more than these limits, and by more than single runs differ from one
        /// another.
        case changed
        /// The waits differ by more than these limits, but single runs, real or simulated, differ
        /// as much, or the runs are unreliable.
        case inconclusive
    }
}

extension WhatIfRepetition {
    var notes: [String] {
        let changed = clients.filter { $0.value.verdict == .changed }.keys.sorted()
        guard problem == nil, !changed.isEmpty else { return [] }
        return [
            "the waits of \(changed.joined(separator: ", ")) differ from the recorded ones in the "
                + "same setting; if a check fails, the machine or its other load may have changed"
        ]
    }

    /// Compares a recorded wait with new waits.
    ///
    /// The verdict allows for chance, because there are only one recorded run and a few new runs.
    /// The verdict is inconclusive if the distance between the recorded wait and the range of the
    /// new waits is at most the width of that range or of the simulated range.
    static func verdict(
        on change: WhatIfComparison,
        beside wait: WhatIfPrediction.Wait?
    ) -> Verdict {
        if change.isWithinTolerance { return .same }
        let least = change.least ?? change.measured
        let most = change.most ?? change.measured
        let then = change.predicted
        let distance = then < least ? least - then : then > most ? then - most : 0
        let simulated = wait.map { $0.high - $0.low } ?? 0
        return distance <= max(most - least, simulated) ? .inconclusive : .changed
    }
}
