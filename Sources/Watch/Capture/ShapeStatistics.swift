import Foundation
import Scenarios

/// The observed transactions of one shape, with times in seconds.
struct ShapeStatistics {
    /// The maximum number of transactions whose values are kept for comparison.
    private static let maximumKeptTransactions = 300

    let shape: TransactionShape
    /// One transaction of the shape, as an example of its statements.
    let example: CapturedTransaction
    /// The positions of the parts in the example.
    let occurrences: [TransactionShape.Occurrence]

    private(set) var count = 0
    private(set) var outcomes: [CapturedTransaction.Outcome: Int] = [:]
    private(set) var busyCount = 0
    private(set) var maximumRetryCount = 0
    /// The known durations of transactions.
    private(set) var durations = SampledNumbers()
    /// The known durations, excluding the times that single statements waited for locks.
    ///
    /// Those waits are known for all executions, but only a sample of the executions is timed.
    private(set) var activeDurations = SampledNumbers()
    /// The known durations of the statements that began transactions.
    private(set) var begins = SampledNumbers()
    /// The number of repetitions of each part in a transaction.
    private(set) var repetitions: [SampledNumbers]
    /// The times before executions.
    private struct Gaps {
        var all = SampledNumbers()
        /// The gaps before executions of known duration.
        ///
        /// These gaps do not include the execution itself.
        var timed = SampledNumbers()

        mutating func add(_ gap: Double, isTimed: Bool) {
            all.add(gap)
            if isTimed { timed.add(gap) }
        }
    }

    /// The times before each position, and before COMMIT.
    ///
    /// The positions of a loop refer to its body. The time before the body's first statement is the
    /// time between two repetitions.
    private var gaps: [Gaps]
    /// The times before the first repetition of each loop, by the position of its first statement.
    private var loopGaps: [Int: Gaps] = [:]
    /// The known durations of each position's executions, and of COMMIT.
    private(set) var seconds: [SampledNumbers]
    /// The known numbers of rows of each position.
    private(set) var rows: [SampledNumbers]
    /// The total time from the first writing statement or a locking BEGIN to the end of each
    /// transaction.
    ///
    /// A single statement of unknown duration contributes its wait and the mean of the other known
    /// durations.
    var writeSeconds: Double {
        let mean = activeDurations.count > 0 ? activeDurations.mean : 0
        return knownWriteSeconds + Double(untimedWriteCount) * mean
    }
    private var knownWriteSeconds = 0.0
    private var untimedWriteCount = 0
    /// The values of each slot, by position and slot.
    private(set) var values: [[ValueSample]]
    /// The values of some transactions, from the first execution at each position.
    ///
    /// The indexes are the transaction, the position, and the slot.
    private(set) var keptValues: [[[WorkloadValue?]]] = []
    /// Whether the values of each slot differ between the repetitions of a loop, by position and
    /// slot.
    private(set) var varies: [[Bool]]
    /// The texts at each position with their counts.
    ///
    /// Lists in the texts may have different lengths.
    private(set) var texts: [[String: (count: Int, statement: NormalizedStatement)]]
    private(set) var connections: Set<String> = []

    /// The statements outside loops, and the statements in one repetition of each loop, by
    /// position.
    let positions: [NormalizedStatement]

    init(
        _ shape: TransactionShape,
        _ example: CapturedTransaction,
        _ occurrences: [TransactionShape.Occurrence]
    ) {
        self.shape = shape
        self.example = example
        self.occurrences = occurrences
        var positions: [NormalizedStatement] = []
        for occurrence in occurrences {
            for offset in 0..<occurrence.part.length {
                positions.append(example.statements[occurrence.start + offset].statement)
            }
        }
        self.positions = positions
        repetitions = occurrences.map { _ in SampledNumbers() }
        gaps = Array(repeating: Gaps(), count: positions.count + 1)
        seconds = Array(repeating: SampledNumbers(), count: positions.count + 1)
        rows = Array(repeating: SampledNumbers(), count: positions.count)
        values = positions.map { statement in statement.slots.map { _ in ValueSample() } }
        varies = positions.map { statement in statement.slots.map { _ in false } }
        texts = positions.map { _ in [:] }
    }

    mutating func add(
        _ transaction: CapturedTransaction,
        _ occurrences: [TransactionShape.Occurrence]
    ) {
        count += 1
        outcomes[transaction.outcome, default: 0] += 1
        busyCount += transaction.busyCount
        maximumRetryCount = max(maximumRetryCount, transaction.retryCount)
        connections.insert(transaction.connection)
        guard !transaction.neverBegan else { return }
        // Without durations, the time of the first statement is missing. That is the entire time of
        // a single statement, but only a small part of the time of a transaction with BEGIN.
        if transaction.isTimed || transaction.begin != .autocommit {
            durations.add(transaction.duration)
            activeDurations.add(max(0, transaction.duration - transaction.waited))
        }
        if let duration = transaction.beginSeconds { begins.add(duration) }
        addWriteTime(of: transaction)
        var first: [[WorkloadValue?]] = []
        var position = 0
        for (index, occurrence) in occurrences.enumerated() {
            repetitions[index].add(Double(occurrence.count))
            for repetition in 0..<occurrence.count {
                for offset in 0..<occurrence.part.length {
                    let statementIndex =
                        occurrence.start + repetition * occurrence.part.length + offset
                    let item = transaction.statements[statementIndex]
                    let values = add(item, at: position + offset)
                    if repetition == 0 {
                        first.append(values)
                    } else {
                        compare(values, with: first[position + offset], at: position + offset)
                    }
                    if statementIndex < transaction.gaps.count {
                        let gap = transaction.gaps[statementIndex]
                        if occurrence.part.isLoop, repetition == 0, offset == 0 {
                            loopGaps[position, default: Gaps()]
                                .add(gap, isTimed: item.seconds != nil)
                        } else {
                            gaps[position + offset].add(gap, isTimed: item.seconds != nil)
                        }
                    }
                }
            }
            position += occurrence.part.length
        }
        if let last = transaction.gaps.last, transaction.gaps.count > transaction.statements.count {
            gaps[positions.count].add(last, isTimed: transaction.endSeconds != nil)
            if let commitDuration = transaction.endSeconds {
                seconds[positions.count].add(commitDuration)
            }
        }
        if keptValues.count < Self.maximumKeptTransactions { keptValues.append(first) }
    }

    private mutating func add(
        _ item: CapturedTransaction.Statement,
        at position: Int
    ) -> [WorkloadValue?] {
        if let duration = item.seconds { seconds[position].add(duration) }
        if let count = item.rows { rows[position].add(Double(count)) }
        let text = item.statement.pieces.joined(separator: "?")
        texts[position][text, default: (0, item.statement)].count += 1
        let slotValues = item.statement.slots.map { $0.value(among: item.values) }
        // Lists of different lengths have different slots, so count the values of the same column.
        for (index, slot) in item.statement.slots.enumerated() {
            guard let value = slotValues[index], index < values[position].count,
                positions[position].slots[index].column == slot.column
            else { continue }
            values[position][index].add(value)
        }
        return slotValues
    }

    private mutating func compare(
        _ values: [WorkloadValue?],
        with first: [WorkloadValue?],
        at position: Int
    ) {
        for index in varies[position].indices
        where index >= values.count || index >= first.count || values[index] == nil
            || values[index] != first[index]
        { varies[position][index] = true }
    }

    private mutating func addWriteTime(of transaction: CapturedTransaction) {
        guard transaction.writes, transaction.outcome != .busy else { return }
        if transaction.begin == .autocommit, !transaction.isTimed {
            untimedWriteCount += 1
            knownWriteSeconds += transaction.waited
            return
        }
        knownWriteSeconds += transaction.writeDuration
    }

    /// The mean number of rows of a transaction, from executions with a known number of rows.
    var meanRows: Double {
        var position = 0
        var sum = 0.0
        for (index, occurrence) in occurrences.enumerated() {
            for offset in 0..<occurrence.part.length {
                sum += rows[position + offset].mean * repetitions[index].mean
            }
            position += occurrence.part.length
        }
        return sum
    }

    /// The ratio of the standard deviation of the numbers of rows of transactions to their mean, if the
    /// statements' numbers are independent.
    var rowVariation: Double {
        var position = 0
        var variance = 0.0
        for (index, occurrence) in occurrences.enumerated() {
            for offset in 0..<occurrence.part.length {
                let numbers = rows[position + offset]
                let deviation = numbers.variation * numbers.mean
                variance += deviation * deviation * repetitions[index].mean
            }
            position += occurrence.part.length
        }
        return meanRows > 0 ? variance.squareRoot() / meanRows : 0
    }

    var isTimed: Bool { durations.count > 0 }

    /// The total time of all transactions, in seconds, or 0 if it is unknown.
    var totalSeconds: Double { durations.mean * Double(count) }

    /// Returns the mean time of a transaction that neither its statements nor the given pauses take,
    /// in seconds, or `nil` if the time of a statement is unknown.
    ///
    /// Many gaps, each too short for a pause of its own, can make up much of a transaction.
    ///
    /// - Parameter pauses: The mean time of the modeled pauses of a transaction, in seconds.
    /// - Returns: The rest of the time.
    func unmodeledSeconds(pauses: Double) -> Double? {
        guard shape.begin != .autocommit, isTimed, seconds.allSatisfy({ $0.count > 0 }) else {
            return nil
        }
        var known = begins.mean + (seconds.last?.mean ?? 0)
        var position = 0
        for (index, occurrence) in occurrences.enumerated() {
            for offset in 0..<occurrence.part.length {
                known += seconds[position + offset].mean * repetitions[index].mean
            }
            position += occurrence.part.length
        }
        return durations.mean - known - pauses
    }

    /// Models the pause before a position or COMMIT.
    ///
    /// - Parameters:
    ///   - position: The position. The position after the last one represents COMMIT.
    ///   - minimum: The shortest pause to model, in seconds.
    ///   - isMachineBusy: Whether the programs competed for processors. If so, the median
    ///     represents all pauses, because the long pauses are waits for a processor.
    /// - Returns: The distribution, or `nil` if the pause is too short to model.
    func pause(before position: Int, minimum: Double, isMachineBusy: Bool = false) -> PauseModel? {
        pause(gaps[position], before: position, minimum: minimum, isMachineBusy: isMachineBusy)
    }

    /// Models the pause before the first repetition of a loop, as ``pause(before:minimum:isMachineBusy:)``
    /// does.
    func pause(
        beforeLoopAt position: Int,
        minimum: Double,
        isMachineBusy: Bool = false
    ) -> PauseModel? {
        loopGaps[position].flatMap {
            pause($0, before: position, minimum: minimum, isMachineBusy: isMachineBusy)
        }
    }

    private func pause(
        _ gaps: Gaps,
        before position: Int,
        minimum: Double,
        isMachineBusy: Bool
    ) -> PauseModel? {
        // Use the timed executions if there are enough of them.
        let (timed, gap) = (gaps.timed, gaps.all)
        if timed.count >= min(Self.sufficientTimedCount, gap.count) {
            return Self.pause(timed, excess: 0, minimum: minimum, isMachineBusy: isMachineBusy)
        }
        let durations = seconds[position]
        // If no duration is known, treat a short gap as part of the statement. If few durations are
        // known, also treat a gap that does not clearly exceed their mean as part of the statement.
        let minimum = durations.count == 0 ? 1e-3 : max(minimum, durations.mean / 4)
        let untimed = Double(gap.count - timed.count) / Double(gap.count)
        return Self.pause(
            gap,
            excess: durations.mean * untimed,
            minimum: minimum,
            isMachineBusy: isMachineBusy
        )
    }

    /// The number of timed executions that is sufficient to represent all executions.
    private static let sufficientTimedCount = 20

    /// Returns the distribution of the pauses in `gap`.
    ///
    /// Each gap exceeds its pause by `excess` seconds on average.
    private static func pause(
        _ gap: SampledNumbers,
        excess: Double,
        minimum: Double,
        isMachineBusy: Bool
    ) -> PauseModel? {
        // A few long gaps among short ones are due to the scheduler rather than the program.
        let mean = (isMachineBusy ? gap.quantile(0.5) : gap.mean) - excess
        guard gap.count > 0, gap.quantile(0.75) >= minimum, mean >= minimum else { return nil }
        return isMachineBusy ? PauseModel(constant: mean) : PauseModel(gap, mean: mean)
    }

    var writes: Bool { example.writes }
}

extension TransactionShape.Part {
    var isLoop: Bool {
        switch self {
        case .statement: false
        case .loop: true
        }
    }

    /// The number of statements in one repetition.
    var length: Int {
        switch self {
        case .statement: 1
        case .loop(let body, _): body.count
        }
    }
}

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

/// Numbers with an exact sum and with quantiles from a sample.
struct SampledNumbers {
    private static let capacity = 4096

    private(set) var count = 0
    private(set) var sum = 0.0
    private var squares = 0.0
    private(set) var maximum = 0.0
    private var sample: [Double] = []
    private var random = UInt64(0x9E37_79B9_7F4A_7C15)

    mutating func add(_ number: Double) {
        count += 1
        sum += number
        squares += number * number
        maximum = max(maximum, number)
        guard sample.count == Self.capacity else {
            sample.append(number)
            return
        }
        // Vitter's algorithm R: each number has the same probability of being in the sample.
        random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        let slot = Int((random >> 33) % UInt64(count))
        if slot < Self.capacity { sample[slot] = number }
    }

    var mean: Double { count > 0 ? sum / Double(count) : 0 }

    /// The ratio of the standard deviation to the mean, or 0 if there are fewer than two numbers.
    var variation: Double {
        guard count > 1, mean > 0 else { return 0 }
        return (max(0, squares / Double(count) - mean * mean)).squareRoot() / mean
    }

    /// Returns the quantile for a fraction from 0 to 1, or 0 if there are no numbers.
    func quantile(_ share: Double) -> Double {
        guard !sample.isEmpty else { return 0 }
        let sorted = sample.sorted()
        let index = Int((share * Double(sorted.count)).rounded(.up)) - 1
        return sorted[min(max(index, 0), sorted.count - 1)]
    }
}
