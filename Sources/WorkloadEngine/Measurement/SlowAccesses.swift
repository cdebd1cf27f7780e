/// A worker's slowest accesses in a time interval.
struct SlowAccesses: Sendable {
    /// A slow access.
    struct Access: Sendable {
        /// The access's timestamps.
        var stamps: WorkerRecorder.Stamps
        /// The cell, which identifies the operation and the phase.
        var cell: Int

        /// The time from intended start to end, in nanoseconds.
        var response: UInt64 { stamps.end &- min(stamps.end, stamps.intended) }
    }

    /// The number of accesses that are kept.
    static let limit = 32

    /// The slowest accesses, in no particular order.
    private(set) var accesses: [Access] = []
    /// The shortest response time among the kept accesses, once their number has reached the limit.
    private var shortest: UInt64 = 0
    private var leastIndex = 0

    /// Keeps an access if it is one of the slowest.
    @inline(__always)
    mutating func offer(_ stamps: WorkerRecorder.Stamps, cell: Int) {
        if accesses.count == Self.limit, stamps.end &- stamps.intended <= shortest { return }
        keep(Access(stamps: stamps, cell: cell))
    }

    private mutating func keep(_ access: Access) {
        if accesses.count < Self.limit {
            accesses.append(access)
            guard accesses.count == Self.limit else { return }
        } else {
            accesses[leastIndex] = access
        }
        leastIndex = accesses.indices.min { accesses[$0].response < accesses[$1].response } ?? 0
        shortest = accesses[leastIndex].response
    }

    /// Removes all accesses but keeps the memory.
    mutating func clear() {
        accesses.removeAll(keepingCapacity: true)
        shortest = 0
    }
}
