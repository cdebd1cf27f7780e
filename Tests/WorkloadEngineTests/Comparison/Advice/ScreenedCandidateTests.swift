import Foundation
import Testing

@testable import WorkloadEngine

/// Tests which candidates are chosen for confirmation.
struct ScreenedCandidateTests {
    private func tried(
        _ name: String,
        _ kind: AdviceCandidate.Kind,
        _ factors: [Double],
        weakens: Bool = false
    ) -> ScreenedCandidate {
        var tried = ScreenedCandidate(
            AdviceCandidate(
                kind: kind,
                arm: Arm(name: name, kind: .queue),
                change: name,
                cost: "",
                weakensDurability: weakens
            )
        )
        tried.gains = factors.map { log($0) }
        return tried
    }

    private func chosen(_ found: [ScreenedCandidate], most: Int = 3) -> [String] {
        found.chosen(atMost: most).map(\.candidate.arm.name)
    }

    @Test func theScoreIsTheMeanOfAllRounds() throws {
        let score = try #require(tried("a", .cache, [2, 8]).score)
        #expect(abs(exp(score) - 4) < 1e-9)
        #expect(tried("a", .cache, []).score == nil)
    }

    @Test func onlyTheBestCandidateOfEachKindIsChosen() {
        let found = [
            tried("four", .readers, [2]), tried("eight", .readers, [3]),
            tried("map", .memoryMap, [2]),
        ]
        #expect(chosen(found) == ["eight", "map"])
        #expect(chosen(found, most: 1) == ["eight"])
    }

    @Test func candidatesFarBelowTheBestOneAreOmitted() {
        let found = [
            tried("index", .index("t"), [10]), tried("map", .memoryMap, [1.1]),
            tried("cache", .cache, [2]), tried("analyze", .statistics, [0.9]),
        ]
        #expect(chosen(found) == ["index", "cache"])
        #expect(chosen(Array(found.dropFirst(3))) == [])
    }

    @Test func candidatesThatWeakenDurabilityAreChosenLast() {
        let found = [
            tried("normal", .synchronous, [20], weakens: true), tried("map", .memoryMap, [1.5]),
            tried("cache", .cache, [1.4]), tried("readers", .readers, [1.3]),
        ]
        #expect(chosen(found, most: 2) == ["map", "cache"])
        #expect(chosen(Array(found.dropLast(2))) == ["map", "normal"])
    }
}
