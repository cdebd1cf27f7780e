import Scenarios
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

    @Test(
        arguments: [
            .uniform, .zipfian(theta: 0.99, scramble: false), .latest(theta: 0.99, of: nil),
            .sequential, .hotspot(set: 0.2, draws: 0.8),
        ] as [Variable.Distribution]
    )
    func aDistributionIsRecognized(distribution: Variable.Distribution) throws {
        let variable = Variable(distribution: distribution, minimum: 1, maximum: 5000)
        let fit = try #require(
            DistributionFit.best(of: sample(variable), range: 1...5000, minimumCount: 5)
        )
        switch (fit.distribution, distribution) {
        case (.hotspot(let set, let draws), .hotspot(let expectedSet, let expectedDraws)):
            #expect(set == expectedSet && abs(draws - expectedDraws) < 0.02)
        case (let fitted, let expected): #expect(fitted == expected)
        }
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
        guard case .zipfian(_, scramble: true) = fit.distribution else {
            Issue.record("\(fit)")
            return
        }
        #expect(fit.distance < 0.15)
    }

    @Test func fewDistinctValuesBecomeAChoice() throws {
        let variable = Variable(
            distribution: .choice([.text("new"), .text("it's"), .integer(3)], weights: [6, 3, 1])
        )
        let fit = try #require(
            DistributionFit.best(of: sample(variable, count: 1000), range: nil, minimumCount: 5)
        )
        guard case .choice(let values, let weights) = fit.distribution else {
            Issue.record("\(fit)")
            return
        }
        #expect(values == [.text("new"), .text("it's"), .integer(3)] && weights.count == 3)
    }

    @Test(arguments: [1, 4])
    func aRareValueIsNotShown(times: Int) {
        var sample = ValueSample()
        for _ in 0..<500 { sample.add(.text("common")) }
        for _ in 0..<times { sample.add(.text("secret")) }
        let fit = DistributionFit.best(of: sample, range: nil, minimumCount: 5)
        #expect(fit?.distribution == .choice([.text("common")], weights: []))
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
