import WorkloadEngine

/// The shape shared by transactions that run the same statements in the same order.
struct TransactionShape: Hashable {
    enum Part: Hashable {
        /// One statement, by its number.
        case statement(Int)
        /// Repeated statements, and the approximate number of repetitions.
        case loop([Int], times: Int)
    }

    struct Occurrence {
        var part: Part
        /// The index of the part's first statement in the transaction.
        var start: Int
        /// The number of repetitions.
        var count: Int
    }

    var begin: CapturedTransaction.Begin
    var parts: [Part]

    /// The maximum number of statements in one repetition of a loop.
    private static let longestLoop = 8

    /// The largest number of repetitions that is not rounded.
    private static let exactRepetitions = 8

    /// Rounds a large number of repetitions down to a power of two.
    private static func rounded(_ count: Int) -> Int {
        guard count > exactRepetitions else { return count }
        return 1 << (Int.bitWidth - 1 - count.leadingZeroBitCount)
    }

    /// Splits the statements of a transaction, given by their numbers, into single statements and
    /// loops.
    static func occurrences(of statements: [Int]) -> [Occurrence] {
        var result: [Occurrence] = []
        var index = 0
        while index < statements.count {
            var best = (period: 1, count: 1)
            for period in 1...longestLoop where index + 2 * period <= statements.count {
                var count = 1
                let body = statements[index..<(index + period)]
                while index + (count + 1) * period <= statements.count,
                    statements[(index + count * period)...].starts(with: body)
                { count += 1 }
                if count > 1, count * period > best.count * best.period {
                    best = (period, count)
                }
            }
            let part: Part
            if best.count == 1 {
                part = .statement(statements[index])
            } else {
                part = .loop(
                    Array(statements[index..<(index + best.period)]),
                    times: rounded(best.count)
                )
            }
            result.append(Occurrence(part: part, start: index, count: best.count))
            index += best.count * best.period
        }
        return result
    }
}
