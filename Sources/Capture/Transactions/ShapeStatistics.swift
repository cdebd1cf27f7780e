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
    /// How long the statements took that began transactions, where that is known.
    private(set) var begins = SampledNumbers()
    /// How often each part ran, for each transaction.
    private(set) var repetitions: [SampledNumbers]
    /// The time before each position, and before COMMIT; positions of a loop are those of its body,
    /// and the time before its first statement is that between two repetitions.
    private(set) var gaps: [SampledNumbers]
    /// Those of them that do not include the execution at the position, whose duration is known.
    private(set) var timedGaps: [SampledNumbers]
    /// The durations of each position's executions, and of COMMIT, where they are known.
    private(set) var seconds: [SampledNumbers]
    /// The rows of each position, where they are known.
    private(set) var rows: [SampledNumbers]
    /// The time from the first writing statement, or from a BEGIN that locks, to the end.
    ///
    /// A single statement whose duration is unknown lasts as long as the others on average.
    var writeSeconds: Double {
        knownWriteSeconds + Double(unknownWrites) * (durations.count > 0 ? durations.mean : 0)
    }
    private var knownWriteSeconds = 0.0
    private var unknownWrites = 0
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
        timedGaps = gaps
        seconds = gaps
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
        // Without durations, only the first statement's own is missing: all of a single one, little
        // of a transaction with BEGIN.
        if transaction.isTimed || transaction.begin != .autocommit {
            durations.add(transaction.duration)
        }
        if let own = transaction.beginSeconds { begins.add(own) }
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
                        let gap = transaction.gaps[place]
                        gaps[position + offset].add(gap)
                        if item.seconds != nil { timedGaps[position + offset].add(gap) }
                    }
                }
            }
            position += occurrence.part.length
        }
        if let last = transaction.gaps.last, transaction.gaps.count > transaction.statements.count {
            gaps[positions.count].add(last)
            if let own = transaction.endSeconds {
                timedGaps[positions.count].add(last)
                seconds[positions.count].add(own)
            }
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
        if transaction.begin == .autocommit, !transaction.isTimed, transaction.duration == 0 {
            unknownWrites += 1
            return
        }
        let locksAtOnce = transaction.begin == .immediate || transaction.begin == .exclusive
        let write = transaction.statements.first {
            !$0.statement.readsOnly && $0.statement.isChange
        }
        let start = locksAtOnce ? transaction.start : write?.start ?? transaction.start
        knownWriteSeconds += max(0, transaction.end - start)
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
        // Where enough executions were timed, these show the rests of all.
        let timed = timedGaps[position]
        let gap = gaps[position]
        if timed.count >= min(Self.enoughTimed, gap.count) {
            return Self.rest(timed, mean: timed.mean, least)
        }
        let own = seconds[position]
        // Where no duration is known, a short time is the statement's own; where few are known, so
        // is a time that is not clearly longer than their mean.
        let least = own.count == 0 ? 1e-3 : max(least, own.mean / 4)
        let untimed = Double(gap.count - timed.count) / Double(gap.count)
        return Self.rest(gap, mean: gap.mean - own.mean * untimed, least)
    }

    /// How many timed executions show the rests of all.
    private static let enoughTimed = 20

    private static func rest(
        _ gap: SampledNumbers,
        mean: Double,
        _ least: Double
    ) -> RestModel? {
        // A few long gaps among short ones are the scheduler's, not the program's.
        guard gap.count > 0, gap.quantile(0.75) >= least, mean >= least else { return nil }
        return RestModel(gap, mean: mean)
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
