import Testing
import WorkloadEngine

@testable import Capture

/// Tests that fitting recognizes samples of each distribution in the scenario language.
struct DistributionFitTests {
    private func sample(_ variable: Variable, count: Int = 20_000) -> ValueSample {
        var random = RandomStream(seed: 7, stream: "fit")
        var generator = variable.makeGenerator()
        var sample = ValueSample()
        for _ in 0..<count { sample.add(generator.next(using: &random)) }
        return sample
    }

    @Test(arguments: [
        (Variable.Distribution.uniform, "distribution: uniform"),
        (.zipfian(theta: 0.99, scramble: false), "distribution: zipfian, theta: 0.99"),
        (.latest(theta: 0.99, of: nil), "distribution: latest, theta: 0.99"),
        (.sequential, "distribution: sequential"),
        (.hotspot(set: 0.2, draws: 0.8), "distribution: hotspot, set: 20%, draws: 80%"),
    ])
    func aDistributionIsRecognized(distribution: Variable.Distribution, yaml: String) throws {
        let variable = Variable(distribution: distribution, minimum: 1, maximum: 5000)
        let fit = try #require(
            DistributionFit.best(of: sample(variable), range: 1...5000, minimumCount: 5)
        )
        #expect(fit.yaml.hasPrefix(yaml.replacing("80%", with: "")), "\(fit)")
        #expect(fit.distance < 0.05)
    }

    @Test func scatteredPopularKeysAreScrambled() throws {
        let variable = Variable(
            distribution: .zipfian(theta: 0.99, scramble: true),
            minimum: 1,
            maximum: 5000
        )
        let fit = try #require(
            DistributionFit.best(of: sample(variable), range: 1...5000, minimumCount: 5)
        )
        #expect(fit.yaml.contains("zipfian") && fit.yaml.contains("scramble: true"), "\(fit)")
        #expect(fit.distance < 0.15)
    }

    @Test func fewDistinctValuesBecomeAChoice() throws {
        let variable = Variable(
            distribution: .choice([.text("new"), .text("it's"), .integer(3)], weights: [6, 3, 1])
        )
        let fit = try #require(
            DistributionFit.best(of: sample(variable, count: 1000), range: nil, minimumCount: 5)
        )
        #expect(fit.yaml.hasPrefix("distribution: choice, values: ['new', 'it''s', 3], weights: ["))
    }

    @Test(arguments: [1, 4])
    func aRareValueIsNotShown(times: Int) {
        var sample = ValueSample()
        for _ in 0..<500 { sample.add(.text("common")) }
        for _ in 0..<times { sample.add(.text("secret")) }
        let fit = DistributionFit.best(of: sample, range: nil, minimumCount: 5)
        #expect(fit?.yaml == "distribution: choice, values: ['common']")
        #expect((fit?.distance ?? 0) > 0)
    }

    @Test func distinctValuesAreNotShown() {
        var sample = ValueSample()
        for index in 0..<1000 { sample.add(.text("secret \(index)")) }
        #expect(DistributionFit.best(of: sample, range: nil, minimumCount: 5) == nil)
    }

    @Test func popularTextHasAnExponent() throws {
        let variable = Variable(
            distribution: .zipfian(theta: 0.8, scramble: false),
            minimum: 1,
            maximum: 2000,
            prefix: "user-"
        )
        let found = try #require(DistributionFit.popularity(of: sample(variable), distinct: 2000))
        #expect(abs(found.theta - 0.8) < 0.15 && found.distance < 0.1)
    }
}
