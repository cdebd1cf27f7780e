import Foundation
import Scenarios
import Testing

@testable import WorkloadEngine

struct DistributionTests {
    private static let draws = 200_000

    @Test(arguments: [0...9, -5000 ... -4990, 7...7] as [ClosedRange<Int64>])
    func uniformIntegersAreEquallyLikely(range: ClosedRange<Int64>) {
        var stream = RandomStream(seed: 1, stream: "uniform")
        let uniform = UniformDistribution(range)
        var counts = [Int](repeating: 0, count: range.count)
        for _ in 0..<Self.draws {
            counts[Int(uniform.next(using: &stream) - range.lowerBound)] += 1
        }
        let share = Double(Self.draws) / Double(counts.count)
        let expected = [Double](repeating: share, count: counts.count)
        #expect(ChiSquare.isPlausible(observed: counts, expected: expected))
        #expect(counts.reduce(0, +) == Self.draws)
    }

    @Test func uniformSupportsTheWholeRangeOfAnInteger() {
        var stream = RandomStream(seed: 1, stream: "whole")
        let uniform = UniformDistribution(Int64.min...Int64.max)
        let values = (0..<1000).map { _ in uniform.next(using: &stream) }
        #expect((400...600).contains(values.count { $0 < 0 }))
    }

    @Test(
        arguments: [0.2, 0.5, 0.99, 1, 1.01, 1.5, 3, 100],
        [1, 2, 3, 10, 100_000] as [Int64]
    )
    func zipfianRanksHaveTheirShares(theta: Double, count: Int64) {
        var stream = RandomStream(seed: 2, stream: "zipfian")
        let zipfian = ZipfianDistribution(count: count, theta: theta)
        let weights = (1...count).map { pow(Double($0), -theta) }
        let total = weights.reduce(0, +)
        // There is a class for each rank that is sufficiently frequent, and one class for all other
        // ranks.
        let means = weights.map { $0 / total * Double(Self.draws) }
        let classCount = min(means.prefix { $0 >= 10 }.count, 200)
        let rest = means.dropFirst(classCount).reduce(0, +)
        var counts = [Int](repeating: 0, count: classCount + 1)
        for _ in 0..<Self.draws {
            let rank = zipfian.next(using: &stream)
            #expect((1...count).contains(rank))
            counts[min(Int(rank) - 1, classCount)] += 1
        }
        guard count > 1 else { return }
        var expected = Array(means.prefix(classCount))
        if rest >= 5 {
            expected.append(rest)
        } else {
            // The other ranks are too rare for the test, but they may occur a few times.
            #expect(Double(counts.removeLast()) <= rest + 12)
        }
        #expect(ChiSquare.isPlausible(observed: counts, expected: expected))
    }

    @Test(arguments: [0.99, 1, 2])
    func zipfianSupportsAnyNumberOfRanks(theta: Double) {
        var stream = RandomStream(seed: 3, stream: "large")
        let zipfian = ZipfianDistribution(count: 1 << 52, theta: theta)
        for _ in 0..<1000 { #expect((1...(1 << 52)).contains(zipfian.next(using: &stream))) }
    }

    @Test func fnvProducesThePublishedHashes() {
        // The hashes are from the reference test vectors.
        #expect(FNV1a.hash("".utf8) == 0xCBF2_9CE4_8422_2325)
        #expect(FNV1a.hash("a".utf8) == 0xAF63_DC4C_8601_EC8C)
        #expect(FNV1a.hash("foobar".utf8) == 0x8594_4171_F739_67E8)
        let bytes = (0..<8).map { UInt8(truncatingIfNeeded: 0x0102_0304_0506 >> ($0 * 8)) }
        #expect(
            FNV1a.ycsbHash(0x0102_0304_0506)
                == Int64(bitPattern: FNV1a.hash(bytes)).magnitude
        )
    }

    @Test func ycsbRanksHaveThePublishedShares() {
        var stream = RandomStream(seed: 4, stream: "gray")
        var counts = [0, 0]
        var early = 0
        for _ in 0..<Self.draws {
            let rank = ScrambledZipfianDistribution.GrayZipfian.next(using: &stream)
            #expect(rank < 10_000_000_000)
            if rank < 1000 { early += 1 }
            if rank < 2 { counts[Int(rank)] += 1 }
        }
        // The share of the first 1,000 ranks is approximately the sum of k^-0.99 over these ranks,
        // divided by zeta.
        let share = Double(early) / Double(Self.draws)
        let exact = (1...1000).map { pow(Double($0), -0.99) }.reduce(0, +) / 26.46902820178302
        #expect(abs(share - exact) < 0.02)
        // The shares of the first two ranks are exact: 1 / zeta and 0.5^0.99 / zeta.
        for (count, weight) in zip(counts, [1, pow(0.5, 0.99)]) {
            let share = weight / 26.46902820178302
            let deviation = (Double(Self.draws) * share * (1 - share)).squareRoot()
            #expect(abs(Double(count) - Double(Self.draws) * share) < 4 * deviation)
        }
    }

    @Test(arguments: [0.7, 0.99, 1, 1.3])
    func scramblingMovesPopularRanksToTheirHashes(theta: Double) {
        var stream = RandomStream(seed: 5, stream: "scrambled")
        let range: ClosedRange<Int64> = 100...1099
        let scrambled = ScrambledZipfianDistribution(range, theta: theta)
        var counts = [Int](repeating: 0, count: range.count)
        for _ in 0..<Self.draws {
            let value = scrambled.next(using: &stream)
            #expect(range.contains(value))
            counts[Int(value - 100)] += 1
        }
        let mostFrequent = counts.indices.max { counts[$0] < counts[$1] }
        // If 10^10 items have little skew, no single item is dominant.
        if theta >= 0.99 { #expect(mostFrequent == Int(FNV1a.ycsbHash(0) % 1000)) }
    }

    @Test func textHasTheDeclaredLengthAndContainsAllCharacters() {
        var stream = RandomStream(seed: 6, stream: "text")
        var text = TextDistribution(length: 37)
        var seen = Set<Character>()
        for _ in 0..<200 {
            let value = text.next(using: &stream)
            #expect(value.utf8.count == 37)
            seen.formUnion(value)
        }
        #expect(seen.count == 64)
        var nothing = TextDistribution(length: 0)
        #expect(nothing.next(using: &stream).isEmpty)
    }

    @Test func gapsAreExponential() {
        var stream = RandomStream(seed: 7, stream: "gaps")
        let gaps = ExponentialDistribution(rate: 200)
        // The quantiles of the distribution define classes of equal probability.
        var counts = [Int](repeating: 0, count: 20)
        var sum = 0.0
        for _ in 0..<Self.draws {
            let gap = gaps.next(using: &stream)
            sum += gap
            counts[min(Int((1 - exp(-gap * 200)) * 20), 19)] += 1
        }
        let expected = [Double](repeating: Double(Self.draws) / 20, count: 20)
        #expect(ChiSquare.isPlausible(observed: counts, expected: expected))
        #expect(abs(sum / Double(Self.draws) - 0.005) < 0.005 * 4 / Double(Self.draws).squareRoot())
    }

    @Test func aVariableCreatesItsGenerator() {
        var stream = RandomStream(seed: 8, stream: "variable")
        var popular = Variable(
            distribution: .zipfian(theta: 1.5, scramble: false),
            minimum: 10,
            maximum: 20
        ).makeGenerator()
        var counts: [WorkloadValue: Int] = [:]
        for _ in 0..<10_000 { counts[popular.next(using: &stream), default: 0] += 1 }
        #expect(counts.max { $0.value < $1.value }?.key == .integer(10))
        #expect(counts.count == 11)

        var text = Variable(distribution: .text(length: 5), minimum: 0, maximum: 0).makeGenerator()
        guard case .text(let value) = text.next(using: &stream) else {
            Issue.record("expected text")
            return
        }
        #expect(value.count == 5)
    }
}
