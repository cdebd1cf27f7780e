/// What the slow accesses of one client waited for, and who had it meanwhile.
public struct BlameResult: Sendable, Codable, Equatable {
    /// Which accesses are meant: those at or beyond this percentile of the client's responses,
    /// such as `p99`; `max` when there were too few for any.
    public var beyond: String
    /// The response at that percentile, in nanoseconds.
    public var from: UInt64
    /// How many of them were looked at: the slowest.
    public var accesses: Int
    /// Their mean response, in nanoseconds: the sum of the next three.
    public var response: UInt64
    /// Of that, from the intended start to the start: no worker of the client was free.
    public var queued: UInt64
    /// Of that, from the start to the entry into the closure.
    public var waited: UInt64
    /// Of that, inside the closure.
    public var service: UInt64
    /// What they waited for: `reader`, `writer` or `connection`; absent where each access has a
    /// connection of its own.
    public var resource: AccessResource?
    /// How many of it there are; absent where it is not known.
    public var capacity: Int?
    /// Who held it from the intended starts to the entries, longest first.
    public var holders: [Holder]
    /// The slowest of them, slowest first.
    public var slowest: [Access]

    /// A client that held what others waited for.
    public struct Holder: Sendable, Codable, Equatable {
        /// The client's name.
        public var client: String
        /// How many of the resource it held meanwhile, on average.
        public var held: Double
        /// Its longest hold in the measured time, in nanoseconds.
        public var longest: UInt64
    }

    /// One slow access.
    public struct Access: Sendable, Codable, Equatable {
        /// Its intended start, in seconds since the load began, pauses included.
        public var time: Double
        /// Its operation.
        public var operation: String
        /// From the intended start to the end, in nanoseconds.
        public var response: UInt64
        /// From the intended start to the start, in nanoseconds.
        public var queued: UInt64
        /// From the start to the entry into the closure, in nanoseconds.
        public var waited: UInt64
        /// Inside the closure, in nanoseconds.
        public var service: UInt64
        /// How many of the resource each client held meanwhile, on average, by name.
        public var held: [String: Double]
    }
}
