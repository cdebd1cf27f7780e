/// The processor times of sampled accesses.
///
/// Each measurement requires a system call that takes a few hundred nanoseconds, so a worker
/// measures at most one access per ``interval``.
struct ProcessorTally: Sendable {
    /// The time between a worker's measured accesses, in nanoseconds.
    static let interval: UInt64 = 2_000_000

    private(set) var count: UInt64 = 0
    private var sum: UInt64 = 0

    /// The mean processor time, in nanoseconds, or `nil` if no access was measured.
    var mean: UInt64? { count > 0 ? (sum + count / 2) / count : nil }

    mutating func count(_ nanoseconds: UInt64) {
        count += 1
        sum &+= nanoseconds
    }

    mutating func add(_ other: ProcessorTally) {
        count += other.count
        sum &+= other.sum
    }
}
