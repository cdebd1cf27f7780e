import Foundation
import Scenarios
import Text

/// A distribution of the scenario language, fitted to observed values.
struct DistributionFit: Equatable {
    var distribution: Variable.Distribution
    /// Whether the distribution draws integers from a range.
    var needsRange: Bool
    /// The largest difference between the observed and the fitted distribution functions, from 0 to
    /// 1 (the Kolmogorov–Smirnov distance).
    ///
    /// For `choice`, this is the share of values that are not shown.
    var distance: Double

    private static let thetas = [0.5, 0.7, 0.8, 0.9, 0.99, 1.1, 1.3, 1.6, 2.0]
    private static let choiceLimit = 30
    /// The maximum distance of an acceptable uniform distribution.
    private static let maximumUniformDistance = 0.05

    /// Finds the distribution with the smallest distance.
    ///
    /// - Parameters:
    ///   - sample: The values.
    ///   - range: The range of the column's integers, or `nil` if there is no column.
    ///   - minimumCount: The number of times that a value must occur to be shown.
    /// - Returns: The distribution, or `nil` if no value may be shown and no range is known.
    static func best(
        of sample: ValueSample,
        range: ClosedRange<Int64>?,
        minimumCount: Int
    ) -> DistributionFit? {
        guard sample.count >= max(minimumCount, 2) else { return nil }
        if Double(sample.successors) >= 0.8 * Double(sample.count - 1) {
            let share = Double(sample.successors) / Double(sample.count - 1)
            return DistributionFit(
                distribution: .sequential,
                needsRange: true,
                distance: 1 - share
            )
        }
        if let choice = choice(of: sample, minimumCount: minimumCount) { return choice }
        guard let counts = Counts(sample, range: range) else { return nil }
        let size = counts.size
        let uniform = DistributionFit(
            distribution: .uniform,
            needsRange: true,
            distance: counts.distance(mostFrequent: 10 / size) { $0 }
        )
        if uniform.distance <= maximumUniformDistance { return uniform }
        var candidates = [uniform, hotspot(counts)]
        for theta in thetas {
            let topShare = Zipf.share(10, of: size, theta: theta)
            candidates.append(
                DistributionFit(
                    distribution: .zipfian(theta: theta, scramble: false),
                    needsRange: true,
                    distance: counts.distance(mostFrequent: topShare) {
                        Zipf.share($0 * size, of: size, theta: theta)
                    }
                )
            )
            candidates.append(
                DistributionFit(
                    distribution: .latest(theta: theta, of: nil),
                    needsRange: true,
                    distance: counts.distance(mostFrequent: topShare) {
                        1 - Zipf.share((1 - $0) * size, of: size, theta: theta)
                    }
                )
            )
            candidates.append(
                DistributionFit(
                    distribution: .zipfian(theta: theta, scramble: true),
                    needsRange: true,
                    distance: counts.scrambledDistance(theta)
                )
            )
        }
        return candidates.min { $0.distance < $1.distance }
    }

    /// Returns the theta of Zipf's law that best fits the frequencies of the values, and its
    /// distance, or `nil` if the sample is too small.
    static func popularity(
        of sample: ValueSample,
        distinct: Int
    ) -> (theta: Double, distance: Double)? {
        guard sample.count >= 100, sample.uncounted == 0, sample.counts.count > 1 else {
            return nil
        }
        let frequencies = sample.counts.values.sorted(by: >).map(Double.init)
        let size = Double(max(distinct, frequencies.count))
        return thetas.map { theta in
            (theta, Counts.rankDistance(frequencies, of: size, theta: theta))
        }.min { $0.1 < $1.1 }
    }

    /// Returns a choice of a few values with their weights, or `nil` if it would miss too many
    /// values.
    private static func choice(of sample: ValueSample, minimumCount: Int) -> DistributionFit? {
        let shownValues = sample.counts.filter { $0.value >= minimumCount }
            .sorted { ($1.value, "\($0.key)") < ($0.value, "\($1.key)") }
        let shownCount = shownValues.reduce(0) { $0 + $1.value }
        let hasBlobs = shownValues.contains { if case .blob = $0.key { true } else { false } }
        guard !shownValues.isEmpty, !hasBlobs, shownValues.count <= choiceLimit,
            sample.counts.count <= 2 * choiceLimit, shownCount * 10 >= sample.count * 9
        else { return nil }
        return DistributionFit(
            distribution: .choice(
                shownValues.map(\.key),
                weights: shownValues.count > 1 ? shownValues.map { Double($0.value) } : []
            ),
            needsRange: false,
            distance: 1 - Double(shownCount) / Double(sample.count)
        )
    }

    private static func hotspot(_ counts: Counts) -> DistributionFit {
        [0.01, 0.02, 0.05, 0.1, 0.2, 0.5].map { set in
            let draws = counts.share(upTo: set)
            return DistributionFit(
                distribution: .hotspot(set: set, draws: max(draws, 0.001).rounded(toDigits: 4)),
                needsRange: true,
                distance: counts.distance(mostFrequent: 10 * draws / (set * counts.size)) { share in
                    share <= set
                        ? draws * share / set : draws + (1 - draws) * (share - set) / (1 - set)
                }
            )
        }.min { $0.distance < $1.distance }
            ?? DistributionFit(distribution: .uniform, needsRange: true, distance: 1)
    }

    private struct Counts {
        let values: [(value: Int64, count: Int)]
        let total: Double
        let first: Int64
        /// The number of integers in the range.
        let size: Double

        init?(_ sample: ValueSample, range: ClosedRange<Int64>?) {
            var values: [(value: Int64, count: Int)] = []
            for (value, count) in sample.counts {
                guard case .integer(let integer) = value else { return nil }
                values.append((integer, count))
            }
            values.sort { $0.value < $1.value }
            guard let low = values.first?.value, let high = values.last?.value else { return nil }
            let from = min(low, range?.lowerBound ?? low)
            let to = max(high, range?.upperBound ?? high)
            self.values = values
            total = Double(values.reduce(0) { $0 + $1.count })
            first = from
            size = Double(to) - Double(from) + 1
        }

        private var topTenShare: Double {
            values.map(\.count).sorted(by: >).prefix(10).reduce(0) { $0 + Double($1) } / total
        }

        /// Returns the largest difference from a distribution.
        ///
        /// The closure returns the share of draws in the first part of the range, given the size of
        /// that part as a fraction from 0 to 1. The comparison includes the share of the ten most
        /// frequent values, because popular values that are spread over the range have a uniform
        /// distribution function.
        func distance(mostFrequent: Double, _ share: (Double) -> Double) -> Double {
            let popularityDifference = abs(topTenShare - min(1, mostFrequent))
            var cumulativeCount = 0.0
            var maximum = 0.0
            for (value, count) in values {
                let shareBelow = share((Double(value) - Double(first)) / size)
                maximum = max(maximum, abs(shareBelow - cumulativeCount / total))
                cumulativeCount += Double(count)
                let shareThrough = share((Double(value) - Double(first) + 1) / size)
                maximum = max(maximum, abs(shareThrough - cumulativeCount / total))
            }
            return max(maximum, popularityDifference)
        }

        func share(upTo part: Double) -> Double {
            let limit = Double(first) + part * size
            let cumulativeCount = values.reduce(0) {
                $0 + (Double($1.value) < limit ? $1.count : 0)
            }
            return Double(cumulativeCount) / total
        }

        /// Returns the difference from a scrambled zipfian distribution.
        ///
        /// The distribution draws one of 10¹⁰ items and hashes it to a value. The most popular
        /// items remain separate, and the other items spread evenly.
        func scrambledDistance(_ theta: Double) -> Double {
            let items = 1e10
            let evenShare = (1 - Zipf.share(size, of: items, theta: theta)) / size
            let mean = total / size
            var cumulativeCount = 0.0
            var maximum = 0.0
            for (index, count) in values.map(\.count).sorted(by: >).enumerated() {
                // Beyond this point, the order of frequencies is random.
                guard Double(count) > mean + 3 * mean.squareRoot() + 3 || index < 10 else { break }
                cumulativeCount += Double(count)
                let rank = Double(index + 1)
                let expected = Zipf.share(rank, of: items, theta: theta) + evenShare * rank
                maximum = max(maximum, abs(expected - cumulativeCount / total))
            }
            return maximum
        }

        /// Returns the largest difference between the shares of the most frequent values.
        static func rankDistance(_ frequencies: [Double], of size: Double, theta: Double) -> Double
        {
            let total = frequencies.reduce(0, +)
            var cumulativeCount = 0.0
            var maximum = 0.0
            for (index, frequency) in frequencies.enumerated() {
                cumulativeCount += frequency
                let expected = Zipf.share(Double(index + 1), of: size, theta: theta)
                maximum = max(maximum, abs(expected - cumulativeCount / total))
            }
            return maximum
        }
    }
}

/// Zipf's law for ranks that start at 1.
private enum Zipf {
    /// Returns the share of draws up to a rank.
    static func share(_ rank: Double, of size: Double, theta: Double) -> Double {
        let rank = rank.rounded()
        guard rank > 0 else { return 0 }
        return min(1, harmonic(rank, theta: theta) / harmonic(size, theta: theta))
    }

    /// Returns the generalized harmonic number, exactly for counts up to 50 and by the
    /// Euler–Maclaurin formula for larger counts.
    private static func harmonic(_ count: Double, theta: Double) -> Double {
        let exact = min(count, 50)
        var sum = 0.0
        var rank = 1.0
        while rank <= exact {
            sum += pow(rank, -theta)
            rank += 1
        }
        guard count > 50 else { return sum }
        func integral(_ x: Double) -> Double {
            theta == 1 ? log(x) : pow(x, 1 - theta) / (1 - theta)
        }
        return sum + integral(count) - integral(50) + (pow(count, -theta) - pow(50, -theta)) / 2
    }
}
