import WorkloadEngine

/// The values that one slot of a statement had.
struct ValueSample {
    /// The most different values that are counted.
    private static let capacity = 50_000

    /// How many values there were.
    private(set) var count = 0
    /// How often each value appeared, among the counted values.
    private(set) var counts: [WorkloadValue: Int] = [:]
    /// How many values were not counted, because there were too many different ones.
    private(set) var uncounted = 0
    /// How often a value was the one before it plus one.
    private(set) var successors = 0
    /// The integers in their order; only the first ones.
    private(set) var integers: [Int64] = []
    /// The lengths of texts and blobs.
    private(set) var lengths = SampledNumbers()
    private var last: WorkloadValue?

    mutating func add(_ value: WorkloadValue) {
        count += 1
        if counts.count < Self.capacity || counts[value] != nil {
            counts[value, default: 0] += 1
        } else {
            uncounted += 1
        }
        switch value {
        case .integer(let integer):
            if integers.count < Self.capacity { integers.append(integer) }
            if case .integer(let last)? = last, last < Int64.max, integer == last + 1 {
                successors += 1
            }
        case .text(let text): lengths.add(Double(text.unicodeScalars.count))
        case .blob(let bytes): lengths.add(Double(bytes.count))
        case .null, .real: break
        }
        last = value
    }

    /// The value of all executions; nil if there are several or none.
    var onlyValue: WorkloadValue? { counts.count == 1 && uncounted == 0 ? counts.first?.key : nil }
}
