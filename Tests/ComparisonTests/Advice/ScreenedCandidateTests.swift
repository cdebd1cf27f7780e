import Foundation
import Scenarios
import Testing

@testable import Comparison

/// Tests which candidates are chosen for confirmation.
struct ScreenedCandidateTests {
    private func screened(
        _ name: String,
        _ kind: AdviceCandidate.Kind,
        _ factors: [Double],
        weakensDurability: Bool = false,
        finding: Int? = nil
    ) -> ScreenedCandidate {
        var candidate = AdviceCandidate(
            kind: kind,
            arm: Arm(name: name, kind: .queue),
            change: name,
            cost: "",
            weakensDurability: weakensDurability,
            finding: finding
        )
        if case .batch(let client) = kind {
            candidate.batch = WriteBatch(client: client, size: 10)
        }
        var screened = ScreenedCandidate(candidate)
        screened.gains = factors.map { log($0) }
        return screened
    }

    private func chosenNames(_ found: [ScreenedCandidate], limit: Int = 3) -> [String] {
        found.chosen(atMost: limit).map(\.candidate.arm.name)
    }

    @Test func theScoreIsTheMeanOfAllRounds() throws {
        let score = try #require(screened("a", .cache, [2, 8]).score)
        #expect(abs(exp(score) - 4) < 1e-9)
        #expect(screened("a", .cache, []).score == nil)
    }

    @Test func onlyTheBestCandidateOfEachKindIsChosen() {
        let found = [
            screened("four", .readers, [2]), screened("eight", .readers, [3]),
            screened("map", .memoryMap, [2]),
        ]
        #expect(chosenNames(found) == ["eight", "map"])
        #expect(chosenNames(found, limit: 1) == ["eight"])
    }

    @Test func candidatesFarBelowTheBestOneAreOmitted() {
        let found = [
            screened("index", .index("t"), [10]), screened("map", .memoryMap, [1.1]),
            screened("cache", .cache, [2]), screened("analyze", .statistics, [0.9]),
        ]
        #expect(chosenNames(found) == ["index", "cache"])
        #expect(chosenNames(Array(found.dropFirst(3))) == [])
    }

    /// 100 writes in each transaction make writes 30 times faster, and reads twice as slow.
    @Test func tradeOffsHideNoCandidateThatMakesNothingWorse() {
        var batch = screened("batch", .batch("save"), [4])
        batch.worst = [log(0.5)]
        var journal = screened("journal", .journal, [1.4])
        journal.worst = [log(1.2)]
        #expect(batch.isTradeOff)
        #expect(!journal.isTradeOff)
        #expect(chosenNames([batch, journal]) == ["journal", "batch"])
        #expect(chosenNames([batch]) == ["batch"])
        // A metric that is slightly worse is noise.
        batch.worst = [log(0.9)]
        #expect(!batch.isTradeOff)
        batch.worst = [log(0.7)]
        batch.noise = log(1.5)
        #expect(!batch.isTradeOff)
    }

    /// A program that commits each write to a rollback journal also gains from a log.
    @Test func aSettingIsConfirmedBesideLargerTransactionsWithTheSameCause() {
        let batch = screened("batch", .batch("save"), [6], finding: 0)
        let journal = screened("journal", .journal, [1.2], finding: 0)
        let map = screened("map", .memoryMap, [1.2])
        let index = screened("index", .index("t"), [1.2], finding: 1)
        #expect(chosenNames([batch, journal, map, index]) == ["batch", "journal"])
        // An index changes no transactions.
        let large = screened("large", .index("u"), [6], finding: 0)
        #expect(chosenNames([large, journal]) == ["large"])
    }

    @Test func theReasonForAnotherCandidateOfTheKindIsTheOneThatApplies() {
        let journal = screened("journal", .journal, [1.2])
        let normal = screened("normal", .journal, [3], weakensDurability: true)
        #expect(
            normal.reason(instead: journal) == "journal, which keeps durability, was tested instead"
        )
        let (four, eight) = (screened("four", .readers, [2]), screened("eight", .readers, [3]))
        #expect(four.reason(instead: eight) == "eight was better in the screening")
        #expect(screened("two", .readers, []).reason(instead: eight) == "eight was tested instead")
        var batch = screened("thousand", .batch("save"), [5])
        batch.worst = [log(0.5)]
        let ten = screened("ten", .batch("save"), [3])
        #expect(
            batch.reason(instead: ten) == "ten, which made nothing much worse, was tested instead"
        )
        let (one, two) = (screened("one", .index("t"), [3]), screened("two", .index("t"), [3.1]))
        #expect(two.reason(instead: one) == "one, with fewer indexes, was tested instead")
    }

    @Test func candidatesThatWeakenDurabilityAreChosenLast() {
        let found = [
            screened("normal", .synchronous, [20], weakensDurability: true),
            screened("map", .memoryMap, [1.5]),
            screened("cache", .cache, [1.4]), screened("readers", .readers, [1.3]),
        ]
        #expect(chosenNames(found, limit: 2) == ["map", "cache"])
        #expect(chosenNames(Array(found.dropLast(2))) == ["map", "normal"])
    }

    /// Effects must not appear as noise.
    @Test func theNoiseIsThatOfCandidatesWithoutAnEffect() {
        let factors = [30.0, 12, 9, 1.05, 0.97, 1.02, 0.99, 1.01]
        let found = factors.map { screened("\($0)", .index("\($0)"), [$0]) }
        let noise = AdviceScreening.noise(of: found, control: log(1.03))
        #expect((1.01...1.06).contains(exp(noise)))
        #expect(AdviceScreening.noise(of: [], control: log(0.8)) == -log(0.8))
    }

    @Test func onlyAnImprovementBeyondTheNoiseIsPromising() {
        var tried = screened("a", .cache, [1.3])
        #expect(tried.isPromising)
        tried.noise = log(1.4)
        #expect(!tried.isPromising)
        // More rounds reduce the noise.
        tried.gains = [log(1.3), log(1.3)]
        #expect(tried.isPromising)
        #expect(tried.result(.notPromising).bound ?? 0 > 1.3)
    }
}
