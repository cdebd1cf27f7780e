import TestSupport
import Testing

@testable import Isolation

/// Tests that a single change to a correct history is detected.
@Suite(.timeLimit(.minutes(5)))
struct MutationTests {
    @Test(arguments: Mutation.allCases)
    func everyMutationIsDetected(mutation: Mutation) {
        var appliedCount = 0
        for seed in 0..<150 as Range<UInt64> {
            var history = SerialHistory(
                seed: seed,
                transactions: 30 + Int(seed % 60),
                keys: 2 + Int64(seed % 3)
            ).history
            var random = SeededRandom(seed: seed &+ 77)
            guard mutation.apply(to: &history, &random) else { continue }
            appliedCount += 1
            let found = Set(IsolationCheck().anomalies(of: history).map(\.kind))
            #expect(!found.isEmpty, "seed \(seed)")
            if let kind = mutation.certainKind {
                #expect(found.contains(kind), "seed \(seed) found \(found)")
            }
            if found.isEmpty { return }
        }
        #expect(appliedCount > 40)
    }
}
