import Foundation
import Scenarios
import Testing

@testable import WorkloadEngine

/// Compares seeded samples of distributions over a range with the expected counts.
///
/// Each test fails by chance for one seed in 10,000 (see ``ChiSquare``). The seeds are fixed.
struct RangeDistributionTests {
    private static let draws = 200_000

    /// Returns how often each integer in a range occurs in a sample.
    private func counts(
        _ range: ClosedRange<Int64>,
        _ name: String,
        _ draw: (inout RandomStream) -> Int64
    ) -> [Int] {
        var stream = RandomStream(seed: 11, stream: name)
        var counts = [Int](repeating: 0, count: range.count)
        for _ in 0..<Self.draws {
            let value = draw(&stream)
            guard range.contains(value) else {
                Issue.record("\(value) lies outside \(range)")
                return counts
            }
            counts[Int(value - range.lowerBound)] += 1
        }
        return counts
    }

    /// Returns whether the counts match the shares.
    ///
    /// Classes that are too small for the test are merged.
    private func fits(_ counts: [Int], _ shares: [Double]) -> Bool {
        let total = shares.reduce(0, +)
        var observed: [Int] = [0]
        var expected: [Double] = [0]
        for (count, share) in zip(counts, shares) {
            observed[observed.count - 1] += count
            expected[expected.count - 1] += share / total * Double(Self.draws)
            if expected[expected.count - 1] >= 10 {
                observed.append(0)
                expected.append(0)
            }
        }
        let (lastCount, lastMean) = (observed.removeLast(), expected.removeLast())
        guard !expected.isEmpty else { return lastCount == Self.draws }
        observed[observed.count - 1] += lastCount
        expected[expected.count - 1] += lastMean
        if expected.count == 1 { return observed[0] == Self.draws }
        return ChiSquare.isPlausible(observed: observed, expected: expected)
    }

    @Test(arguments: [0.5, 1, 5, 50], [1...1, 1...7, -50...49] as [ClosedRange<Int64>])
    func exponentialFollowsTheFormulaOfPgbench(parameter: Double, range: ClosedRange<Int64>) {
        let distribution = TruncatedExponentialDistribution(range, parameter: parameter)
        let counts = counts(range, "exponential") { distribution.next(using: &$0) }
        let n = Double(range.count)
        let shares = (0..<range.count).map { i in
            exp(-parameter * Double(i) / n) - exp(-parameter * Double(i + 1) / n)
        }
        #expect(fits(counts, shares))
    }

    @Test(arguments: [2, 2.5, 5, 20], [1...1, 1...7, -50...49] as [ClosedRange<Int64>])
    func gaussianFollowsTheFormulaOfPgbench(parameter: Double, range: ClosedRange<Int64>) {
        let distribution = GaussianDistribution(range, parameter: parameter)
        let counts = counts(range, "gaussian") { distribution.next(using: &$0) }
        func phi(_ x: Double) -> Double { erfc(-x / 2.0.squareRoot()) / 2 }
        let n = Double(range.count)
        let shares = (0..<range.count).map { i in
            phi(parameter * (2 * Double(i + 1) / n - 1)) - phi(parameter * (2 * Double(i) / n - 1))
        }
        #expect(fits(counts, shares))
    }

    @Test(arguments: [(0.2, 0.8), (0.01, 0.75), (1, 0.5), (0.5, 1)])
    func aHotSetReceivesItsShareOfTheDraws(hotShare: Double, drawShare: Double) {
        let range: ClosedRange<Int64> = 100...299
        let distribution = HotspotDistribution(range, hotShare: hotShare, hotDrawShare: drawShare)
        let counts = counts(range, "hotspot") { distribution.next(using: &$0) }
        let hot = Int(200 * hotShare)
        let shares = (0..<200).map { index in
            if hot == 200 { return 1.0 }
            return index < hot ? drawShare / Double(hot) : (1 - drawShare) / Double(200 - hot)
        }
        if drawShare == 1 {
            #expect(counts[hot...].allSatisfy { $0 == 0 })
            #expect(fits(Array(counts[..<hot]), Array(shares[..<hot])))
        } else {
            #expect(fits(counts, shares))
        }
    }

    @Test(arguments: [0.5, 0.99, 1, 1.8])
    func theNewestValueIsTheMostPopular(theta: Double) {
        let range: ClosedRange<Int64> = 10...109
        var distribution = LatestDistribution(range, theta: theta)
        let counts = counts(range, "latest") { distribution.next(using: &$0) }
        #expect(fits(counts.reversed(), (1...100).map { pow(Double($0), -theta) }))
    }

    @Test func latestFollowsPublishedValues() {
        let sequence = SharedSequence()
        var distribution = LatestDistribution(0...9, theta: 0.99, following: sequence)
        var stream = RandomStream(seed: 11, stream: "following")
        func largest() -> Int64 {
            (0..<2000).map { _ in distribution.next(using: &stream) }.max() ?? 0
        }
        #expect(largest() == 9)
        sequence.publish(199)
        #expect(largest() == 199)
        // A smaller value has no effect.
        sequence.publish(20)
        #expect(largest() == 199)
        let counts = counts(0...199, "followed") { distribution.next(using: &$0) }
        #expect(fits(counts.reversed(), (1...200).map { pow(Double($0), -0.99) }))
    }

    @Test func aSequenceIsOrderedAndWrapsAround() {
        let distribution = SequentialDistribution(5...7)
        #expect((0..<7).map { _ in distribution.next() } == [5, 6, 7, 5, 6, 7, 5])
        let copy = distribution
        #expect([copy.next(), distribution.next()] == [6, 7])
    }

    @Test(.timeLimit(.minutes(1)))
    func workersShareASequence() async {
        let distribution = SequentialDistribution(0...Variable.largest)
        let values = await withTaskGroup(of: [Int64].self) { group in
            for _ in 0..<4 {
                group.addTask { (0..<10_000).map { _ in distribution.next() } }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
        #expect(values.sorted() == Array(0..<40_000))
    }

    @Test(arguments: [
        Variable.Distribution.hotspot(set: 0.2, draws: 0.8), .exponential(parameter: 5),
        .gaussian(parameter: 5), .uniform,
    ])
    func theWidestRangeIsSupported(distribution: Variable.Distribution) {
        var stream = RandomStream(seed: 11, stream: "wide")
        let variable = Variable(
            distribution: distribution,
            minimum: -Variable.largest,
            maximum: Variable.largest
        )
        var generator = variable.makeGenerator()
        for _ in 0..<1000 {
            guard case .integer(let value) = generator.next(using: &stream) else {
                Issue.record("expected an integer")
                return
            }
            #expect((-Variable.largest...Variable.largest).contains(value))
        }
    }
}
