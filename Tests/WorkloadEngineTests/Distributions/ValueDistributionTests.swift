import Foundation
import Scenarios
import Testing

@testable import WorkloadEngine

/// Tests text, blobs, choices, and text that a variable derives from integers.
struct ValueDistributionTests {
    private func values(_ variable: Variable, _ count: Int = 2000) -> [WorkloadValue] {
        var stream = RandomStream(seed: 12, stream: "values")
        var generator = variable.makeGenerator()
        return (0..<count).map { _ in generator.next(using: &stream) }
    }

    private func texts(_ variable: Variable, _ count: Int = 2000) -> [String] {
        values(variable, count).compactMap { if case .text(let text) = $0 { text } else { nil } }
    }

    @Test func lengthsFollowTheirDistribution() {
        let lengths = Variable(distribution: .uniform, minimum: 3, maximum: 6)
        let found = texts(Variable(distribution: .text(length: .drawn(lengths)))).map(\.count)
        let counts = (3...6).map { length in found.count { $0 == length } }
        #expect(counts.reduce(0, +) == 2000)
        #expect(ChiSquare.isPlausible(observed: counts, expected: [500, 500, 500, 500]))
    }

    @Test func blobsHaveTheDeclaredLengthAndContainAllBytes() {
        let blobs = values(Variable(distribution: .blob(length: 1000)), 500)
        var counts = [Int](repeating: 0, count: 256)
        for blob in blobs {
            guard case .blob(let bytes) = blob else {
                Issue.record("expected a blob")
                return
            }
            #expect(bytes.count == 1000)
            for byte in bytes { counts[Int(byte)] += 1 }
        }
        let expected = [Double](repeating: 500_000 / 256, count: 256)
        #expect(ChiSquare.isPlausible(observed: counts, expected: expected))
    }

    @Test func placeholdersInATemplateBecomeDigitsAndLetters() {
        let found = texts(Variable(distribution: .template("+49 ##@-#")))
        #expect(found.count == 2000)
        #expect(found.allSatisfy { $0.wholeMatch(of: /\+49 [0-9]{2}[a-z]-[0-9]/) != nil })
        let digits = (0..<10).map { digit in
            found.count { $0.hasSuffix(String(digit)) }
        }
        #expect(
            ChiSquare.isPlausible(
                observed: digits,
                expected: [Double](repeating: 200, count: 10)
            )
        )
    }

    @Test func choicesHaveTheirWeights() {
        let variable = Variable(
            distribution: .choice([.text("a"), .integer(2), .null], weights: [1, 2, 5])
        )
        let found = values(variable, 8000)
        let counts = [WorkloadValue.text("a"), .integer(2), .null].map { value in
            found.count { $0 == value }
        }
        #expect(ChiSquare.isPlausible(observed: counts, expected: [1000, 2000, 5000]))
    }

    @Test func wordsFollowAZipfDistribution() {
        let variable = Variable(distribution: .words(length: 5, vocabulary: 50))
        let words = texts(variable, 4000).flatMap { $0.split(separator: " ") }
        #expect(words.count == 20_000)
        let weights = (1...50).map { 1 / Double($0) }
        let total = weights.reduce(0, +)
        let counts = (1...50).map { rank in
            let word = WordsDistribution.word(Int64(rank))
            return words.count { $0 == word }
        }
        #expect(
            ChiSquare.isPlausible(
                observed: counts,
                expected: weights.map { $0 / total * 20_000 }
            )
        )
    }

    @Test func noTwoRanksHaveTheSameWord() {
        let words = Set((1...10_000).map { WordsDistribution.word($0) })
        #expect(words.count == 10_000)
        #expect(WordsDistribution.word(1).count < WordsDistribution.word(10_000).count)
    }

    @Test func nullsHaveTheirShare() {
        let variable = Variable(distribution: .uniform, minimum: 1, maximum: 9, nulls: 0.25)
        let nulls = values(variable, 8000).count { $0 == .null }
        #expect(ChiSquare.isPlausible(observed: [nulls, 8000 - nulls], expected: [2000, 6000]))
    }

    @Test(arguments: [0, 7, 10, -10, 99, 100, -123_456, Variable.largest, -Variable.largest])
    func aPrefixComesBeforeTheDigits(value: Int64) {
        let variable = Variable(
            distribution: .uniform,
            minimum: value,
            maximum: value,
            prefix: "höhe-"
        )
        #expect(values(variable, 1) == [.text("höhe-\(value)")])
    }

    @Test func integersCanBeHashedAndPrefixed() {
        var variable = Variable(distribution: .sequential, minimum: 7, maximum: 8)
        #expect(values(variable, 3) == [.integer(7), .integer(8), .integer(7)])
        variable.prefix = "note-"
        #expect(values(variable, 2) == [.text("note-7"), .text("note-8")])
        variable.isHashed = true
        variable.prefix = "user"
        #expect(values(variable, 1) == [.text("user\(FNV1a.ycsbHash(7))")])
        variable.prefix = nil
        #expect(values(variable, 1) == [.integer(Int64(FNV1a.ycsbHash(7)))])
    }
}
