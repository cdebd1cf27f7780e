/// The processor time of some of the accesses.
///
/// A measurement costs a system call, a few hundred nanoseconds, so a worker measures at most one
/// access per ``interval``.
struct ProcessorTally: Sendable {
    /// The time between two measured accesses of a worker, in nanoseconds.
    static let interval: UInt64 = 2_000_000

    /// The number of measured accesses.
    private(set) var count: UInt64 = 0
    private var sum: UInt64 = 0

    /// The mean, in nanoseconds; nil without measured accesses.
    var mean: UInt64? { count > 0 ? (sum + count / 2) / count : nil }

    /// Counts one access, in nanoseconds.
    mutating func count(_ nanoseconds: UInt64) {
        count += 1
        sum &+= nanoseconds
    }

    /// Adds the counts of another tally.
    mutating func add(_ other: ProcessorTally) {
        count += other.count
        sum &+= other.sum
    }
}
