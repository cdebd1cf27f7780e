/// The predictions from a recorded run (`poolgauge.what-if/1`).
///
/// Waits are 99th percentiles in nanoseconds, from the start to the entry into the closure of
/// completed accesses; absent where fewer than ten accesses waited longer.
public struct WhatIfResult: Sendable, Codable, Equatable {
    /// The schema of this form.
    public static let schemaName = "poolgauge.what-if/1"

    /// `poolgauge.what-if/1`.
    public var schema: String
    /// The scenario's name.
    public var scenario: String
    /// The arm that was recorded.
    public var arm: String
    /// What served the accesses in the recorded run.
    public var recorded: WhatIfSetting
    /// The versions of what took part in the recorded run; absent in results of older versions.
    public var versions: [String: String]?
    /// The processors of the simulation: those of the machine that the run was recorded on.
    public var cpuCount: Int
    /// The seed of all randomness.
    public var seed: UInt64
    /// How often each setting was simulated, with other service times each time.
    public var runs: Int
    /// How well the model reproduces the recorded run, by client.
    public var fit: [String: WhatIfComparison]
    /// The predictions, in the order of the settings.
    public var predictions: [WhatIfPrediction]
    /// What real runs of the nearest settings gave; absent when none was made.
    public var checks: [WhatIfCheck]?
    /// What real runs of the recorded setting give now; absent when none was made.
    public var repetition: WhatIfRepetition?
    /// What a reader should beware of; absent when there is nothing.
    public var notes: [String]?
}

/// What one setting would give.
public struct WhatIfPrediction: Sendable, Codable, Equatable {
    /// What would serve the accesses.
    public var setting: WhatIfSetting
    /// The clients' waits, by name; those without enough accesses are absent.
    public var clients: [String: Wait]

    /// A predicted wait.
    public struct Wait: Sendable, Codable, Equatable {
        /// The 99th percentile of all simulated runs together, in nanoseconds.
        public var p99: UInt64
        /// The smallest of a single run, however few accesses it has, in nanoseconds.
        public var low: UInt64
        /// The largest of a single run, however few accesses it has, in nanoseconds.
        public var high: UInt64
        /// The share of accesses, in 0…1, that were given up because they were late; absent when
        /// none was.
        public var skipped: Double?
    }
}

/// A wait as it was predicted and as it was measured.
public struct WhatIfComparison: Sendable, Codable, Equatable {
    /// The predicted 99th percentile, in nanoseconds.
    public var predicted: UInt64
    /// The measured one, in nanoseconds: of several runs, that of all their accesses, known to
    /// about 3 %.
    public var measured: UInt64
    /// The smallest that a run measured, in nanoseconds; absent for one run, and when one of them
    /// has too few accesses.
    public var least: UInt64?
    /// The largest that a run measured, in nanoseconds; absent as ``least`` is.
    public var most: UInt64?

    /// Creates a comparison; both are in nanoseconds.
    public init(predicted: UInt64, measured: UInt64) {
        self.predicted = predicted
        self.measured = measured
    }

    /// Compares a prediction with what a client waited for in several runs.
    ///
    /// They count together, as the runs of a simulation do: the 99th percentile of one run is a
    /// matter of chance where about as many accesses as are beyond it wait for something long.
    ///
    /// - Returns: Nil when fewer than ten accesses of all runs waited for longer.
    init?(predicted: UInt64, measured runs: [ClientResult]) {
        let single = runs.compactMap { $0.wait?.p99 }
        guard runs.count > 1 else {
            guard let own = single.first else { return nil }
            self.init(predicted: predicted, measured: own)
            return
        }
        var all = LatencySpectrum()
        for run in runs { if let wait = run.spectra?.wait { all.add(wait) } }
        guard all.count >= WhatIf.leastCount, let p99 = all.value(at: 0.99) else {
            return nil
        }
        self.init(predicted: predicted, measured: UInt64(p99))
        guard single.count == runs.count, let first = single.min(), let last = single.max() else {
            return
        }
        // It lies between them; a spectrum knows it less exactly than each run does its own.
        measured = min(max(measured, first), last)
        (least, most) = (first, last)
    }

    /// The error as a share of what was measured: above 0 when the prediction was too long.
    public var error: Double {
        (Double(predicted) - Double(measured)) / Double(max(1, measured))
    }

    /// Whether the error is within the larger of 25 % and a millisecond.
    public var isWithin: Bool {
        let difference = abs(Double(predicted) - Double(measured))
        return difference <= max(Double(measured) * 0.25, 1_000_000)
    }

    private enum CodingKeys: String, CodingKey {
        case predicted
        case measured
        case least
        case most
        case error
        case isWithin = "within"
    }

    /// Reads what ``encode(to:)`` writes.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        predicted = try container.decode(UInt64.self, forKey: .predicted)
        measured = try container.decode(UInt64.self, forKey: .measured)
        least = try container.decodeIfPresent(UInt64.self, forKey: .least)
        most = try container.decodeIfPresent(UInt64.self, forKey: .most)
    }

    /// Writes both waits, the error, and whether it is within the goal.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(predicted, forKey: .predicted)
        try container.encode(measured, forKey: .measured)
        try container.encodeIfPresent(least, forKey: .least)
        try container.encodeIfPresent(most, forKey: .most)
        try container.encode(error.rounded(toDigits: 4), forKey: .error)
        try container.encode(isWithin, forKey: .isWithin)
    }
}

/// A prediction beside real runs.
public struct WhatIfCheck: Sendable, Codable, Equatable {
    /// What served the accesses.
    public var setting: WhatIfSetting
    /// The clients' waits, by name; those without enough accesses are absent.
    public var clients: [String: WhatIfComparison]
    /// How many runs there were; absent for one.
    public var runs: Int?
    /// Why the runs' numbers mean little; absent when they do not.
    public var problem: String?
}
