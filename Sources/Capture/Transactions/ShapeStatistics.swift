import WorkloadEngine

/// What was observed of the transactions of one shape.
struct ShapeStatistics {
    /// The most transactions whose values are kept, to find equal ones.
    private static let keptTransactions = 300

    let shape: TransactionShape
    /// One transaction of the shape, as an example of its statements.
    let example: CapturedTransaction
    /// Where the example's parts are.
    let occurrences: [TransactionShape.Occurrence]

    private(set) var count = 0
    private(set) var outcomes: [CapturedTransaction.Outcome: Int] = [:]
    private(set) var busyCount = 0
    /// The most failures because of a lock that one transaction met.
    private(set) var mostBusy = 0
    /// How long transactions lasted, of those whose durations are known.
    private(set) var durations = SampledNumbers()
    /// How often each part ran, for each transaction.
    private(set) var repetitions: [SampledNumbers]
    /// The time before each position, and before COMMIT; positions of a loop are those of its body,
    /// and the time before its first statement is that between two repetitions.
    private(set) var gaps: [SampledNumbers]
    /// The durations of each position's executions, where they are known.
    private(set) var seconds: [SampledNumbers]
    /// How many of the times before each position include its execution, whose duration is unknown.
    private(set) var untimedGaps: [Int]
    /// The rows of each position, where they are known.
    private(set) var rows: [SampledNumbers]
    /// The time from the first writing statement, or from a BEGIN that locks, to the end.
    private(set) var writeSeconds = 0.0
    /// The values of the slots of each position.
    private(set) var values: [[ValueSample]]
    /// The values of some transactions: of each position its first execution's.
    private(set) var kept: [[[WorkloadValue?]]] = []
    /// Whether the values of each position's slots differ between the repetitions of a loop.
    private(set) var varies: [[Bool]]
    /// The texts of each position with how often each appeared: lists differ in length.
    private(set) var texts: [[String: (count: Int, statement: NormalizedStatement)]]
    private(set) var connections: Set<String> = []

    /// The positions: the statements outside loops and those of one repetition of each loop.
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
        gaps = Array(repeating: SampledNumbers(), count: positions.count + 1)
        seconds = Array(repeating: SampledNumbers(), count: positions.count)
        untimedGaps = Array(repeating: 0, count: positions.count + 1)
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
        mostBusy = max(mostBusy, transaction.busyCount)
        // Without durations, only the first statement's own is missing: much of a single one, little
        // of a transaction with several.
        if transaction.isTimed || transaction.statements.count > 1 {
            durations.add(transaction.duration)
        }
        connections.insert(transaction.connection)
        addWriteTime(of: transaction)
        var first: [[WorkloadValue?]] = []
        var position = 0
        for (index, occurrence) in occurrences.enumerated() {
            repetitions[index].add(Double(occurrence.count))
            for repetition in 0..<occurrence.count {
                for offset in 0..<occurrence.part.length {
                    let place = occurrence.start + repetition * occurrence.part.length + offset
                    let item = transaction.statements[place]
                    let values = add(item, at: position + offset)
                    if repetition == 0 {
                        first.append(values)
                    } else {
                        compare(values, with: first[position + offset], at: position + offset)
                    }
                    if place < transaction.gaps.count {
                        gaps[position + offset].add(transaction.gaps[place])
                        if item.seconds == nil { untimedGaps[position + offset] += 1 }
                    }
                }
            }
            position += occurrence.part.length
        }
        if let last = transaction.gaps.last, transaction.gaps.count > transaction.statements.count {
            gaps[positions.count].add(last)
        }
        if kept.count < Self.keptTransactions { kept.append(first) }
    }

    /// Adds an execution; returns its slots' values.
    private mutating func add(
        _ item: CapturedTransaction.Statement,
        at position: Int
    ) -> [WorkloadValue?] {
        if let own = item.seconds { seconds[position].add(own) }
        if let count = item.rows { rows[position].add(Double(count)) }
        let text = item.statement.pieces.joined(separator: "?")
        texts[position][text, default: (0, item.statement)].count += 1
        let found = item.statement.slots.map { $0.value(among: item.values) }
        // Lists of other lengths have other slots: their values count where the roles agree.
        for (index, slot) in item.statement.slots.enumerated() {
            guard let value = found[index], index < values[position].count,
                positions[position].slots[index].column == slot.column
            else { continue }
            values[position][index].add(value)
        }
        return found
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
        guard transaction.writes else { return }
        let locksAtOnce = transaction.begin == .immediate || transaction.begin == .exclusive
        let write = transaction.statements.first {
            !$0.statement.readsOnly && $0.statement.isChange
        }
        let start = locksAtOnce ? transaction.start : write?.start ?? transaction.start
        writeSeconds += max(0, transaction.end - start)
    }

    /// The rows of one transaction, from the executions whose rows are known.
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

    /// Whether the durations of some of its transactions are known.
    var isTimed: Bool { durations.count > 0 }

    /// The rest before a position, or before COMMIT; nil where there is none worth a step.
    ///
    /// - Parameters:
    ///   - position: The position; one beyond the last means COMMIT.
    ///   - least: The shortest rest that counts, in seconds.
    /// - Returns: The rest's distribution.
    func rest(before position: Int, least: Double) -> RestModel? {
        let gap = gaps[position]
        // A few long gaps among short ones are the scheduler's, not the program's.
        guard gap.count > 0, gap.quantile(0.75) >= least else { return nil }
        var mean = gap.mean
        var least = least
        if untimedGaps[position] > 0 {
            let own = seconds[position]
            mean -= own.mean * Double(untimedGaps[position]) / Double(gap.count)
            // Where no duration is known, a short time is the statement's own.
            if own.count == 0 { least = 1e-3 }
        }
        return mean >= least ? RestModel(gap, mean: mean) : nil
    }

    /// Whether its transactions write.
    var writes: Bool { example.writes }
}

extension TransactionShape.Part {
    /// The statements of one repetition.
    var length: Int {
        switch self {
        case .statement: 1
        case .loop(let body, _): body.count
        }
    }
}
