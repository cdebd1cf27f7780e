import WorkloadEngine

/// The observed values of one slot of a statement.
struct ValueSample {
    /// The maximum number of distinct values to count.
    private static let capacity = 50_000

    private(set) var count = 0
    private(set) var counts: [WorkloadValue: Int] = [:]
    /// The number of values that were not counted because there were too many distinct values.
    private(set) var uncounted = 0
    /// The number of values that are one greater than the previous value.
    private(set) var successors = 0
    /// The first integers, in order of observation.
    private(set) var integers: [Int64] = []
    /// The lengths of strings and blobs.
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

    /// The value that all executions share, or `nil` if there are several values or no values.
    var onlyValue: WorkloadValue? { counts.count == 1 && uncounted == 0 ? counts.first?.key : nil }
}
