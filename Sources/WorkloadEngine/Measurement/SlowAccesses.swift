/// The slowest accesses of a worker.
struct SlowAccesses: Sendable {
    struct Access: Sendable {
        var timestamps: WorkerRecorder.Timestamps
        var cell: Int

        /// The time from intended start to end, in nanoseconds.
        var response: UInt64 { timestamps.end &- min(timestamps.end, timestamps.intended) }
    }

    /// The maximum number of accesses.
    static let limit = 32

    /// The slowest accesses, in no particular order.
    private(set) var accesses: [Access] = []
    /// The shortest response time in ``accesses``, after the number of accesses reaches the
    /// limit.
    private var shortest: UInt64 = 0
    private var shortestIndex = 0

    /// Adds an access if it is one of the slowest.
    @inline(__always)
    mutating func offer(_ timestamps: WorkerRecorder.Timestamps, cell: Int) {
        let response = timestamps.end &- timestamps.intended
        if accesses.count == Self.limit, response <= shortest { return }
        keep(Access(timestamps: timestamps, cell: cell))
    }

    private mutating func keep(_ access: Access) {
        if accesses.count < Self.limit {
            accesses.append(access)
            guard accesses.count == Self.limit else { return }
        } else {
            accesses[shortestIndex] = access
        }
        shortestIndex = accesses.indices.min { accesses[$0].response < accesses[$1].response } ?? 0
        shortest = accesses[shortestIndex].response
    }

    mutating func clear() {
        accesses.removeAll(keepingCapacity: true)
        shortest = 0
    }
}
