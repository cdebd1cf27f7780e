/// The processor times of sampled accesses.
///
/// A measurement takes a system call of a few hundred nanoseconds, so a worker measures at most one
/// access per ``interval``.
struct ProcessorTally: Sendable {
    /// The time between a worker's measured accesses, in nanoseconds.
    static let interval: UInt64 = 2_000_000

    /// The number of measured accesses.
    private(set) var count: UInt64 = 0
    private var sum: UInt64 = 0

    /// The mean, in nanoseconds, or `nil` if no accesses were measured.
    var mean: UInt64? { count > 0 ? (sum + count / 2) / count : nil }

    /// Counts the processor time of one access, in nanoseconds.
    mutating func count(_ nanoseconds: UInt64) {
        count += 1
        sum &+= nanoseconds
    }

    mutating func add(_ other: ProcessorTally) {
        count += other.count
        sum &+= other.sum
    }
}
