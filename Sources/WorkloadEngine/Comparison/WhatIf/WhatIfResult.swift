/// The predictions from a recorded run (`poolgauge.what-if/1`).
///
/// Each wait is a 99th percentile, in nanoseconds, of the times that completed accesses took to enter
/// their closures. A wait is omitted if fewer than ten accesses waited longer than the percentile.
package struct WhatIfResult: Sendable, Codable, Equatable {
    /// The schema's identifier.
    package static let schemaName = "poolgauge.what-if/1"

    /// The schema's identifier, ``schemaName``.
    package var schema: String
    /// The scenario's name.
    package var scenario: String
    /// The recorded arm.
    package var arm: String
    /// The queue or pool of the recorded run.
    package var recorded: WhatIfSetting
    /// The library versions in the recorded run, or `nil` in results from older versions.
    package var versions: [String: String]?
    /// The recorded arm's journal mode and `synchronous` setting, keyed by the arm's name, or `nil`
    /// if they are unknown.
    package var settings: [String: String]?
    /// The number of simulated processors, as on the machine of the recorded run.
    package var cpuCount: Int
    /// The seed of all random choices.
    package var seed: UInt64
    /// The number of simulations of each setting, each with different service times.
    package var runs: Int
    /// The comparison of the model with the recorded run, keyed by client.
    package var fit: [String: WhatIfComparison]
    /// The predictions, in the order of the settings.
    package var predictions: [WhatIfPrediction]
    /// The results of real runs in the nearest settings, or `nil` if there are no such runs.
    package var checks: [WhatIfCheck]?
    /// The results of new runs in the recorded setting, or `nil` if there are no such runs.
    package var repetition: WhatIfRepetition?
    /// The limitations of the predictions, or `nil` if there are none.
    package var notes: [String]?
}

/// The prediction for one setting.
package struct WhatIfPrediction: Sendable, Codable, Equatable {
    /// The queue or pool that serves the accesses.
    package var setting: WhatIfSetting
    /// The clients' waits, keyed by name, for clients with enough accesses.
    package var clients: [String: Wait]

    /// A predicted wait.
    package struct Wait: Sendable, Codable, Equatable {
        /// The 99th percentile over all simulations, in nanoseconds.
        package var p99: UInt64
        /// The smallest 99th percentile of a single simulation, in nanoseconds, regardless of the
        /// number of accesses.
        package var low: UInt64
        /// The largest 99th percentile of a single simulation, in nanoseconds, regardless of the
        /// number of accesses.
        package var high: UInt64
        /// The share of skipped accesses, from 0 to 1, or `nil` if none were skipped.
        package var skipped: Double?
    }
}

/// A predicted and a measured wait.
package struct WhatIfComparison: Sendable, Codable, Equatable {
    /// The predicted 99th percentile, in nanoseconds.
    package var predicted: UInt64
    /// The measured 99th percentile, in nanoseconds.
    ///
    /// With several runs, the percentile covers the accesses of all runs and has a precision of
    /// about 3%.
    package var measured: UInt64
    /// The smallest value of a single run, in nanoseconds, or `nil` if there is only one run or a
    /// run has too few accesses.
    package var least: UInt64?
    /// The largest value of a single run, in nanoseconds, or `nil` if ``least`` is `nil`.
    package var most: UInt64?

    /// Creates a comparison of two waits, in nanoseconds.
    package init(predicted: UInt64, measured: UInt64) {
        self.predicted = predicted
        self.measured = measured
    }

    /// Creates a comparison of a prediction with a client's waits in several runs.
    ///
    /// The runs are combined, as in a prediction, because the 99th percentile of a single run may
    /// vary by chance. The result is `nil` if fewer than ten accesses of all runs waited longer than
    /// the percentile.
    init?(predicted: UInt64, measured runs: [ClientResult]) {
        let single = runs.compactMap { $0.wait?.p99 }
        guard runs.count > 1 else {
            guard let measured = single.first else { return nil }
            self.init(predicted: predicted, measured: measured)
            return
        }
        var all = LatencySpectrum()
        for run in runs { if let wait = run.spectra?.wait { all.add(wait) } }
        guard all.count >= WhatIf.minimumCount, let p99 = all.value(at: 0.99) else {
            return nil
        }
        self.init(predicted: predicted, measured: UInt64(p99))
        guard single.count == runs.count, let first = single.min(), let last = single.max() else {
            return
        }
        // A spectrum is less precise than the exact values of the runs, so limit the percentile to
        // the range of these values.
        measured = min(max(measured, first), last)
        (least, most) = (first, last)
    }

    /// The error relative to the measured wait, which is positive if the predicted wait is too
    /// long.
    package var error: Double {
        (Double(predicted) - Double(measured)) / Double(max(1, measured))
    }

    /// Whether the error is within the larger of 25% and a millisecond.
    package var isWithinTolerance: Bool {
        let difference = abs(Double(predicted) - Double(measured))
        return difference <= max(Double(measured) * 0.25, 1_000_000)
    }

    private enum DerivedKeys: String, CodingKey {
        case error
        case isWithinTolerance = "within"
    }

    /// Encodes the waits, the error, and whether the error is within the limit.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(predicted, forKey: .predicted)
        try container.encode(measured, forKey: .measured)
        try container.encodeIfPresent(least, forKey: .least)
        try container.encodeIfPresent(most, forKey: .most)
        var derived = encoder.container(keyedBy: DerivedKeys.self)
        try derived.encode(error.rounded(toDigits: 4), forKey: .error)
        try derived.encode(isWithinTolerance, forKey: .isWithinTolerance)
    }
}

/// A comparison of a prediction with real runs.
package struct WhatIfCheck: Sendable, Codable, Equatable {
    /// The queue or pool that served the accesses.
    package var setting: WhatIfSetting
    /// The clients' waits, keyed by name, for clients with enough accesses.
    package var clients: [String: WhatIfComparison]
    /// The number of runs, or `nil` if there is only one.
    package var runs: Int?
    /// The reason that the runs' numbers are unreliable, if any.
    package var problem: String?
}
