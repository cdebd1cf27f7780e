/// The processor time of some of the accesses.
///
/// Asking for it costs a call of the system, a few hundred nanoseconds, so a worker looks at one
/// access in ``interval`` at most.
struct ProcessorTally: Sendable {
    /// The time between two accesses of a worker that are looked at, in nanoseconds.
    static let interval: UInt64 = 2_000_000

    /// How many were looked at.
    private(set) var count: UInt64 = 0
    private var sum: UInt64 = 0

    /// Their mean, in nanoseconds; nil when there were none.
    var mean: UInt64? { count > 0 ? (sum + count / 2) / count : nil }

    /// Counts one access, in nanoseconds.
    mutating func count(_ nanoseconds: UInt64) {
        count += 1
        sum &+= nanoseconds
    }

    /// Adds another one's counts.
    mutating func add(_ other: ProcessorTally) {
        count += other.count
        sum &+= other.sum
    }
}
