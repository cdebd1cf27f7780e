import Text
import WorkloadEngine

/// The result of a comparison of arms (`poolgauge.comparison/1`).
///
/// Latencies are in nanoseconds, and throughputs are in accesses/s.
public struct ComparisonResult: Sendable, Codable, Equatable {
    /// The schema's identifier.
    public static let schemaName = "poolgauge.comparison/1"

    /// The schema's identifier, ``schemaName``.
    public var schema: String
    /// The answer, with one sentence for each arm other than the baseline.
    public var answer: [String]
    /// The scenario's name.
    public var scenario: String
    /// The seed of all random choices.
    public var seed: UInt64
    /// The machine, the versions, and the scenario's text.
    public var environment: HostEnvironment
    /// The number of completed blocks with valid runs.
    public var blocks: Int
    /// The length of each run's measured part, in seconds.
    public var blockDuration: Double
    /// Whether the comparison stopped early.
    ///
    /// The interrupted block is discarded.
    public var partial: Bool
    /// The order of the arms in each block.
    ///
    /// The first arm occurs twice.
    public var order: [[String]]
    /// The clients omitted from every arm because an arm cannot run them, with the reasons, or
    /// `nil` if there are none.
    public var leftOut: [String: String]?
    /// The primary metrics, such as `ui.response.p99`.
    public var primary: [String]
    /// The replacements of declared metrics with too few samples, keyed by the declared metric, or
    /// `nil` if there are none.
    public var replaced: [String: String]?
    /// The noise floor of each metric, as the ratio (at least 1) of two runs of one arm.
    public var noiseFloor: [String: Double]
    /// The difference between the first arm's two runs for each metric.
    public var noise: [NoiseMeasurement]
    /// The comparison of each metric for each pair of arms, starting with ``primary`` metrics.
    public var pairs: [ComparisonPair]
    /// The outcomes of the conditions that make a comparison fail, or `nil` if there are none.
    public var failIf: [FailConditionResult]?
    /// The values of a varied setting, or `nil` if arms of the scenario were compared.
    public var sweep: SweepSummary?
    /// The arms, with the baseline arm first.
    public var arms: [ArmComparison]
    /// The second run of the first arm.
    public var control: ArmComparison?
    /// The number of the block with the runs in ``ArmComparison/representative``, starting at 1, or
    /// `nil` if there is none.
    public var representativeBlock: Int?
    /// The warnings about the numbers, or `nil` if there are none.
    public var warnings: [String]?
    /// The failed runs, as `block 3, pool: reason`, or `nil` if there are none.
    public var failedRuns: [String]?
    /// The runs in which the generator was the bottleneck, as `block 3, pool: reason`.
    ///
    /// The value is `nil` unless such runs make the result invalid. If there are only a few, their
    /// blocks are discarded and ``warnings`` contains an entry for them.
    public var invalidRuns: [String]?
    /// The violated invariants, as `block 3, pool: tpcb-sums: detail`, or `nil` if there are none.
    public var violations: [String]?

    /// Returns one line for each problem of an arm: that of the first block, and the number of other
    /// runs with the same problem.
    ///
    /// `lines` have the form `block 3, pool: reason`.
    package static func grouped(_ lines: [String]) -> [String] {
        func problem(_ line: String) -> Substring {
            line.firstIndex(of: ",").map { line[$0...] } ?? line[...]
        }
        var counts: [Substring: Int] = [:]
        for line in lines { counts[problem(line), default: 0] += 1 }
        return lines.compactMap { line in
            guard let count = counts.removeValue(forKey: problem(line)) else { return nil }
            guard count > 1 else { return line }
            return "\(line) (and in \(HumanUnits.exact(count - 1, "other run")))"
        }
    }

    /// The exit status of the command.
    public var exitStatus: ExitStatus {
        if failedRuns != nil { return .failed }
        if partial { return .interrupted }
        if violations != nil { return .invariantViolated }
        if invalidRuns != nil { return .invalid }
        if let sweep, blocks < sweep.plannedBlocks,
            !BlockCount.suffices(blocks, tests: pairs.count(where: \.primary))
        {
            return .undecided
        }
        return failIf?.contains(where: \.failed) == true ? .regression : .passed
    }

    /// Returns the comparison of a metric for a pair of arms.
    public func pair(_ metric: String, of b: String, against a: String) -> ComparisonPair? {
        pairs.first { $0.metric == metric && $0.a == a && $0.b == b }
    }
}

/// An arm in a comparison.
public struct ArmComparison: Sendable, Codable, Equatable {
    /// The arm's name.
    public var arm: String
    /// The metrics over the blocks, keyed by name, such as `ui.throughput` or `ui.response.p99`.
    public var metrics: [String: Spread]
    /// The metrics' values in each block, keyed by name, or `nil` for blocks with too few samples.
    public var values: [String: [Double?]]
    /// Each client's response times in all blocks, keyed by the client's name.
    public var spectra: [String: PercentileCurve]
    /// The arm's run in ``ComparisonResult/representativeBlock``, with its log, its connections,
    /// its waits, and its records over time.
    public var representative: ArmResult?
}

/// A metric's median and spread over the blocks.
public struct Spread: Sendable, Codable, Equatable {
    /// The median.
    public var median: Double
    /// The smallest value.
    public var minimum: Double
    /// The largest value.
    public var maximum: Double
    /// The first quartile.
    public var lowerQuartile: Double
    /// The third quartile.
    public var upperQuartile: Double
    /// The number of blocks with enough samples for a value.
    public var count: Int

    /// Computes the spread, or returns `nil` for an empty array.
    ///
    /// Quantiles are linear interpolations between the two nearest values (type 7 of Hyndman and
    /// Fan, "Sample Quantiles in Statistical Packages", 1996).
    public init?(_ values: [Double]) {
        let sorted = values.sorted()
        guard let first = sorted.first, let last = sorted.last else { return nil }
        func quantile(_ share: Double) -> Double {
            let position = share * Double(sorted.count - 1)
            let below = Int(position)
            let above = min(below + 1, sorted.count - 1)
            let weight = position - Double(below)
            return (sorted[below] + weight * (sorted[above] - sorted[below])).rounded(toDigits: 2)
        }
        median = quantile(0.5)
        lowerQuartile = quantile(0.25)
        upperQuartile = quantile(0.75)
        minimum = first
        maximum = last
        count = sorted.count
    }
}

/// A client's response times by percentile, for a chart with an expanded tail.
public struct PercentileCurve: Sendable, Codable, Equatable {
    /// The number of response times.
    public var count: UInt64
    /// The longest response time, in nanoseconds.
    public var max: UInt64
    /// The points in ascending order, up to the last point that ten response times exceed.
    public var points: [Point]

    /// A response time that `percentile` percent of the accesses do not exceed.
    public struct Point: Sendable, Codable, Equatable {
        /// The percentile, from 0 to 100.
        public var percentile: Double
        /// The response time at the percentile, in nanoseconds.
        public var nanoseconds: UInt64
    }
}

extension PercentileCurve {
    /// The number of points in each half of the remaining share.
    private static let ticks = 5

    init?(_ histogram: LatencyHistogram) {
        guard histogram.count > 0 else { return nil }
        count = histogram.count
        max = histogram.maximum
        points = []
        // Repeatedly divide the lower half of the remaining share evenly: 0, 10 … 50, 55 … 75,
        // 77.5 … 87.5 …
        var start = 0.0
        var rest = 100.0
        while let value = histogram.value(at: start) {
            for tick in 0..<Self.ticks {
                let percentile = start + rest / 2 * Double(tick) / Double(Self.ticks)
                guard let point = tick == 0 ? value : histogram.value(at: percentile) else {
                    return
                }
                points.append(Point(percentile: percentile, nanoseconds: point))
            }
            start += rest / 2
            rest /= 2
        }
    }
}

/// The former name of ``PercentileCurve``.
@available(*, deprecated, renamed: "PercentileCurve")
public typealias PercentileSpectrum = PercentileCurve
