/// The slowest accesses of one worker, in a stretch of time.
struct SlowAccesses: Sendable {
    /// An access that took long.
    struct Access: Sendable {
        /// Its moments.
        var stamps: WorkerRecorder.Stamps
        /// The place of its operation and phase.
        var place: Int

        /// From its intended start to its end, in nanoseconds.
        var response: UInt64 { stamps.end &- min(stamps.end, stamps.intended) }
    }

    /// How many are kept.
    static let limit = 32

    /// Those that were kept, in no order.
    private(set) var accesses: [Access] = []
    /// The response of the fastest one that is kept, once there are as many as are kept.
    private var least: UInt64 = 0
    private var leastIndex = 0

    /// Keeps an access if it is slower than one that is kept.
    @inline(__always)
    mutating func offer(_ stamps: WorkerRecorder.Stamps, place: Int) {
        if accesses.count == Self.limit, stamps.end &- stamps.intended <= least { return }
        keep(Access(stamps: stamps, place: place))
    }

    private mutating func keep(_ access: Access) {
        if accesses.count < Self.limit {
            accesses.append(access)
            guard accesses.count == Self.limit else { return }
        } else {
            accesses[leastIndex] = access
        }
        leastIndex = accesses.indices.min { accesses[$0].response < accesses[$1].response } ?? 0
        least = accesses[leastIndex].response
    }

    /// Forgets all of them, keeping the memory.
    mutating func clear() {
        accesses.removeAll(keepingCapacity: true)
        least = 0
    }
}
