import Comparison
import Foundation
import Testing
import WorkloadEngine

struct HodgesLehmannTests {
    /// Tests examples 3.3 and 3.4 in Hollander and Wolfe, "Nonparametric Statistical Methods".
    ///
    /// The book subtracts the values before the treatment from those after it. The estimate is
    /// 0.46, and the 96.1% interval is 0.010 … 0.786.
    @Test func theDepressionScaleHasThePublishedInterval() throws {
        let location = try #require(HodgesLehmann(PublishedPairs.depression))
        #expect(abs(location.estimate - 0.46) < 1e-9)
        #expect(abs(location.low - 0.010) < 1e-9)
        #expect(abs(location.high - 0.786) < 1e-9)
        #expect(abs(location.level - 0.961) < 0.0005)
    }

    @Test func theEstimateIsTheMedianOfThePairwiseMeans() throws {
        // The pairwise means of 1, 3, and 8 are 1, 2, 3, 4.5, 5.5, and 8.
        #expect(try #require(HodgesLehmann([8, 1, 3])).estimate == 3.75)
        #expect(try #require(HodgesLehmann([4])).estimate == 4)
        #expect(HodgesLehmann([]) == nil)
    }

    @Test func smallSamplesReportTheirActualConfidenceLevel() throws {
        let five = try #require(HodgesLehmann([3, 1, 4, 1.5, 9]))
        #expect(five.low == 1)
        #expect(five.high == 9)
        #expect(five.level == 1 - 2.0 / 32)
        #expect(try #require(HodgesLehmann([3, 1, 4, 1.5, 9, 2])).level == 1 - 2.0 / 64)
        #expect(try #require(HodgesLehmann([3])).level == 0)
        // For ten differences, the probability outside the interval is 0.0488, the largest step
        // below 5%.
        #expect(
            try #require(HodgesLehmann(Array(repeating: 1, count: 10))).level == 1 - 50.0 / 1024
        )
    }

    /// The interval contains exactly the shifts that the test does not reject.
    @Test func theIntervalAgreesWithTheTest() throws {
        var random = RandomStream(seed: 3, stream: "agreement")
        for _ in 0..<200 {
            let differences = (0..<10).map { _ in 0.4 + random.nextNormal() }
            let location = try #require(HodgesLehmann(differences))
            let isSignificant = WilcoxonSignedRank(differences).pValue <= 0.05
            #expect(isSignificant == (location.low > 0 || location.high < 0))
        }
    }

    /// The effect is a ratio of 1.3 with noise of 10%.
    @Test func intervalsCoverAKnownEffectAtTheirConfidenceLevel() throws {
        var random = RandomStream(seed: 11, stream: "coverage")
        var coveringCount = 0
        var estimates: [Double] = []
        for _ in 0..<2000 {
            let ratios = (0..<10).map { _ in log(1.3) + 0.1 * random.nextNormal() }
            let location = try #require(HodgesLehmann(ratios))
            if location.low <= log(1.3), log(1.3) <= location.high { coveringCount += 1 }
            estimates.append(location.estimate)
        }
        // The expected count is 95.1% of 2,000. The range is the 99% interval of a binomial
        // distribution.
        #expect((1877...1927).contains(coveringCount), "\(coveringCount)")
        let mean = exp(estimates.reduce(0, +) / 2000)
        #expect(abs(mean - 1.3) < 0.01)
    }
}
