import Foundation
import Scenarios
import Telemetry
import Text

/// A type that computes the verdicts of a comparison from its blocks.
struct ComparisonAnalysis {
    let plan: ComparisonPlan
    /// The values of each arm's metrics, with one value per block, or `nil` for a block with too
    /// few samples.
    private var values: [String: [ComparisonMetric: [Double?]]] = [:]
    /// Whether a metric's true value may be larger, with one value per block.
    private var lowerBounds: [String: [ComparisonMetric: [Bool]]] = [:]
    /// The values of the first arm's second run, with one value per block.
    private var control: [ComparisonMetric: [Double?]] = [:]
    private let seconds: Double

    /// The primary metrics, including replacements for metrics with too few samples.
    let primary: [ComparisonMetric]
    let metrics: [ComparisonMetric]
    /// The replacements for metrics with too few samples, keyed by the requested metric's name.
    let replaced: [String: String]

    /// Creates an analysis.
    ///
    /// `blocks` contains the measurements of each block, in the order of the plan's slots.
    /// `seconds` is the length of each run's measured part.
    init(plan: ComparisonPlan, blocks: [[ComparisonMeasurement]], seconds: Double) {
        self.plan = plan
        self.seconds = seconds
        let slots = plan.slots
        func values(of metric: ComparisonMetric, in slot: Int) -> [Double?] {
            blocks.map { $0[slot].value(of: metric) }
        }
        var primary: [ComparisonMetric] = []
        var replaced: [String: String] = [:]
        for requested in plan.primary {
            // The choice depends only on the number of samples, and on whether all arms are
            // overloaded, in the same way for each arm.
            func completeBlockCount(_ metric: ComparisonMetric) -> Int {
                blocks.count { block in
                    slots.indices.allSatisfy { block[$0].value(of: metric) != nil }
                        && !slots.indices.allSatisfy { block[$0].isLowerBound(of: metric) }
                }
            }
            var metric = requested
            var lower = plan.isFixed(requested) ? nil : requested.lowerPercentile
            while completeBlockCount(metric) < blocks.count, let next = lower {
                if completeBlockCount(next) > completeBlockCount(metric) { metric = next }
                lower = next.lowerPercentile
            }
            // Blocks with too few accesses for a median still have a mean, which depends more on
            // single slow accesses.
            if !plan.isFixed(requested), let mean = requested.mean,
                !BlockCount.suffices(completeBlockCount(metric), tests: plan.primary.count),
                completeBlockCount(mean) > completeBlockCount(metric)
            {
                metric = mean
            }
            if metric != requested {
                replaced[requested.name] = metric.name
            }
            if !primary.contains(metric) { primary.append(metric) }
        }
        self.primary = primary
        self.replaced = replaced
        /// Returns whether the lag is more than half of the response time on an arm.
        func explains(_ lag: ComparisonMetric) -> Bool {
            let name = "\(lag.owner).response.p50"
            guard let response = plan.metrics.first(where: { $0.name == name }) else {
                return false
            }
            return slots.indices.contains { slot in
                let pairs = zip(values(of: lag, in: slot), values(of: response, in: slot))
                return pairs.contains { lag, response in
                    if let lag, let response { lag > response / 2 } else { false }
                }
            }
        }
        metrics =
            primary
            + plan.metrics.filter { metric in
                guard !primary.contains(metric) else { return false }
                if metric.name == "\(metric.owner).\(ComparisonPlan.lagMetric)" {
                    return explains(metric)
                }
                return !ComparisonPlan.isTail(metric)
                    || slots.indices.contains { slot in
                        values(of: metric, in: slot).contains { $0 != nil }
                    }
            }
        for metric in metrics {
            for (index, slot) in slots.enumerated() {
                let found = values(of: metric, in: index)
                if slot.isControl {
                    control[metric] = found
                } else {
                    self.values[slot.arm.name, default: [:]][metric] = found
                    let bounds = blocks.map { $0[index].isLowerBound(of: metric) }
                    lowerBounds[slot.arm.name, default: [:]][metric] = bounds
                }
            }
        }
    }

    /// Returns an arm's values, keyed by metric, for metrics with at least one value.
    func values(ofArm name: String) -> [String: [Double?]] {
        named(values[name] ?? [:])
    }

    var controlValues: [String: [Double?]] { named(control) }

    private func named(_ values: [ComparisonMetric: [Double?]]) -> [String: [Double?]] {
        var named: [String: [Double?]] = [:]
        for (metric, list) in values where list.contains(where: { $0 != nil }) {
            named[metric.name] = list
        }
        return named
    }

    private func ratio(_ metric: ComparisonMetric, a: [Double?], b: [Double?]) -> PairedRatio? {
        PairedRatio(a, b, smallest: metric.smallest(seconds: seconds))
    }

    // MARK: Noise

    func noise() -> [NoiseMeasurement] {
        guard let first = plan.arms.first?.name else { return [] }
        return metrics.compactMap { metric in
            guard let a = values[first]?[metric], let b = control[metric],
                let found = ratio(metric, a: a, b: b)
            else { return nil }
            return NoiseMeasurement(
                metric: metric.name,
                ratio: found.ratio,
                low: found.low,
                high: found.high,
                p: found.pValue,
                blocks: found.blocks
            )
        }
    }

    /// Returns the blocks in which the machine's speed changed between the first arm's two runs, if
    /// these blocks affect the noise floor.
    func leaps(in noise: NoiseMeasurement) -> MachineLeaps? {
        guard let first = plan.arms.first?.name,
            let metric = metrics.first(where: { $0.name == noise.metric }),
            let a = values[first]?[metric], let b = control[metric]
        else { return nil }
        return MachineLeaps(a, b, floor: noise.floor)
    }

    // MARK: Pairs

    /// Returns the verdicts on all pairs, starting with the primary metrics.
    func pairs(noise: [NoiseMeasurement]) -> [ComparisonPair] {
        let floors = Dictionary(uniqueKeysWithValues: noise.map { ($0.metric, log($0.floor)) })
        let found = plan.pairs.flatMap { pair in
            metrics.map { metric -> (ComparisonMetric, ComparisonPlan.Pair, PairedRatio?) in
                let a = values[pair.a]?[metric] ?? []
                let b = values[pair.b]?[metric] ?? []
                return (metric, pair, ratio(metric, a: a, b: b))
            }
        }
        let decided = found.filter { primary.contains($0.0) }
        // Include tests without values in the correction, because the tests were declared before
        // the run.
        var corrected = Holm.adjusted(decided.map { $0.2?.pValue ?? 1 })[...]
        let first = decided.map { metric, pair, ratio in
            judge(
                metric,
                pair: pair,
                ratio: ratio,
                p: corrected.removeFirst(),
                floor: floors[metric.name]
            )
        }
        let others = found.filter { !primary.contains($0.0) }.compactMap { metric, pair, ratio in
            ratio.map {
                judge(metric, pair: pair, ratio: $0, p: $0.pValue, floor: floors[metric.name])
            }
        }
        return first + others
    }

    private func judge(
        _ metric: ComparisonMetric,
        pair: ComparisonPlan.Pair,
        ratio: PairedRatio?,
        p: Double,
        floor: Double?
    ) -> ComparisonPair {
        var (verdict, note) = Self.verdict(of: ratio, p: p, floor, metric: metric)
        let values = [pair.a, pair.b].map { self.values[$0]?[metric] ?? [] }
        let both = zip(values[0], values[1]).map { $0 != nil && $1 != nil }
        /// Whether the estimate depends on some blocks: half of the means of two blocks contain one
        /// of them if their share is at least 1 - √½.
        func depends(on blocks: some Sequence<Bool>) -> Bool {
            let count = zip(both, blocks).count { $0 && $1 }
            return count > 0 && Double(count) >= 0.29 * Double(both.count { $0 })
        }
        let smallest = metric.smallest(seconds: seconds)
        let none = values.map { depends(on: $0.map { $0 ?? smallest < smallest }) }
        let isLowerBound = [pair.a, pair.b].map { depends(on: lowerBounds[$0]?[metric] ?? []) }
        // The larger value may be even larger, but nothing is known if the smaller one may be.
        let isFirstLarger = ratio.map { $0.ratio < 1 } ?? false
        let isSmallerUnknown = isLowerBound[isFirstLarger ? 1 : 0]
        if isLowerBound.contains(true), ratio != nil, verdict == .same || isSmallerUnknown {
            (verdict, note) = (.inconclusive, ComparisonPair.unfinishedNote)
        }
        let isBound =
            none[0] != none[1] || isLowerBound[isFirstLarger ? 0 : 1] && !isSmallerUnknown
        return ComparisonPair(
            metric: metric.name,
            a: pair.a,
            b: pair.b,
            ratio: ratio?.ratio,
            low: ratio?.low,
            high: ratio?.high,
            p: ratio == nil ? nil : p,
            verdict: verdict,
            uncorrected: ratio?.pValue,
            level: ratio?.location.level,
            blocks: ratio?.blocks ?? 0,
            primary: primary.contains(metric),
            lowerIsBetter: metric.isLowerBetter,
            note: note,
            isBound: isBound ? true : nil
        )
    }

    /// Returns the verdict, which depends on `p` only if the difference exceeds the noise floor.
    static func verdict(
        of ratio: PairedRatio?,
        p: Double,
        _ floor: Double?,
        metric: ComparisonMetric
    ) -> (ComparisonVerdict, note: String?) {
        guard let ratio else {
            let needed = metric.neededAccesses
            return (
                .inconclusive,
                needed > 1
                    ? "too few samples: a block needs \(HumanUnits.exact(UInt64(needed))) accesses"
                    : "no samples"
            )
        }
        guard let floor else {
            return (.inconclusive, "no noise floor: too few samples of the arm that ran twice")
        }
        let location = ratio.location
        if location.low >= -floor, location.high <= floor { return (.same, nil) }
        if abs(location.estimate) <= floor {
            let limit = ReportUnits.factor(exp(floor))
            return (.inconclusive, "no measurable change (less than \(limit))")
        }
        guard p <= BlockCount.significance else {
            let smallest = BlockCount.smallestPValue(blocks: ratio.blocks, tests: 1)
            return (
                .inconclusive,
                smallest > BlockCount.significance
                    ? "too few blocks with enough samples (\(ratio.blocks))"
                    : "may be due to chance"
            )
        }
        return ((location.estimate < 0) == metric.isLowerBetter ? .better : .worse, nil)
    }

    // MARK: Representative block

    /// Returns the index of the block whose values of the primary metrics are closest to the
    /// medians, or `nil` if `count` is 0.
    func representativeBlock(of count: Int) -> Int? {
        guard count > 0 else { return nil }
        var distance = [Double](repeating: 0, count: count)
        for metric in primary {
            for list in values.values.compactMap({ $0[metric] }) {
                guard let median = Spread(list.compactMap { $0 })?.median else { continue }
                let smallest = metric.smallest(seconds: seconds)
                for (block, value) in list.enumerated() {
                    guard let value else {
                        distance[block] += 1
                        continue
                    }
                    distance[block] += abs(log(max(value, smallest) / max(median, smallest)))
                }
            }
        }
        return distance.indices.min { distance[$0] < distance[$1] }
    }
}

/// The blocks in which two runs of one arm differ by far more than in the other blocks.
///
/// A shared machine switches between a few speeds and keeps each speed for seconds. Runs at the
/// same speed agree within a few percent. A *leap* is a change of speed between the two runs of a
/// block. A few blocks with leaps widen the intervals of all comparisons and determine the noise
/// floor. More blocks reduce this effect.
struct MachineLeaps: Equatable {
    /// The number of blocks with leaps.
    let count: Int
    /// The smallest ratio of the two runs in blocks with leaps, above 1.
    let smallestRatio: Double
    /// The largest ratio of the two runs in the other blocks, at least 1.
    let largestUsualRatio: Double

    /// The minimum leap, as the logarithm of a ratio.
    private static let smallest = log(1.05)
    /// The minimum leap, as a multiple of the median difference.
    ///
    /// With normally distributed noise, about one difference in 1,300 exceeds five times the
    /// median.
    private static let multiple = 5.0

    /// Finds leaps between the values of one arm's two runs.
    ///
    /// Returns `nil` if no leap affects the noise floor, or if leaps cannot be distinguished from
    /// noise.
    ///
    /// - Parameters:
    ///   - first: The values of the first runs, one per block, or `nil` for blocks with too few
    ///     samples.
    ///   - second: The values of the second runs.
    ///   - floor: The noise floor of these values, as a ratio of at least 1.
    init?(_ first: [Double?], _ second: [Double?], floor: Double) {
        let differences = zip(first, second).compactMap { first, second -> Double? in
            guard let first, let second, first > 0, second > 0 else { return nil }
            return abs(log(second / first))
        }.sorted()
        guard !differences.isEmpty else { return nil }
        let limit = max(Self.smallest, Self.multiple * differences[differences.count / 2])
        guard let index = differences.firstIndex(where: { $0 > limit }) else { return nil }
        let usual = index > 0 ? differences[index - 1] : 0
        // Without leaps, the floor would be close to the largest usual difference.
        guard log(floor) > max(usual, Self.smallest) else { return nil }
        count = differences.count - index
        smallestRatio = exp(differences[index])
        largestUsualRatio = exp(usual)
    }
}

/// The ratio of two arms' values, estimated from the blocks with both values.
struct PairedRatio {
    /// The logarithm of the ratio, with its interval.
    let location: HodgesLehmann
    let pValue: Double
    /// The number of blocks with both values.
    let blocks: Int

    /// Compares `b` with `a`, or returns `nil` if no block has both values.
    ///
    /// The positive number `smallest` replaces smaller values. Values must not be negative.
    init?(_ a: [Double?], _ b: [Double?], smallest: Double) {
        let differences = zip(a, b).compactMap { a, b -> Double? in
            guard let a, let b, a.isFinite, b.isFinite else { return nil }
            return log(max(b, smallest)) - log(max(a, smallest))
        }
        guard let location = HodgesLehmann(differences) else { return nil }
        self.location = location
        pValue = WilcoxonSignedRank(differences).pValue
        blocks = differences.count
    }

    var ratio: Double { Self.ratio(location.estimate) }
    var low: Double { Self.ratio(location.low) }
    var high: Double { Self.ratio(location.high) }

    /// Returns the ratio for a logarithm, rounded to six significant digits to keep files short.
    private static func ratio(_ logarithm: Double) -> Double {
        let ratio = exp(logarithm)
        guard ratio > 0, ratio.isFinite else { return ratio }
        let factor = pow(10, 5 - Foundation.floor(log10(ratio)))
        return (ratio * factor).rounded() / factor
    }
}
