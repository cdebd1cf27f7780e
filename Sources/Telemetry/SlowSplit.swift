/// What the slow accesses of a client were made of over the last seconds, and who held what they
/// waited for.
public struct SlowSplit: Sendable, Codable, Equatable {
    /// A client that held what others waited for.
    public struct Holder: Sendable, Codable, Equatable {
        /// The client's name.
        public var client: String
        /// How many of the connections it held meanwhile, on average.
        public var held: Double

        /// Creates a holder.
        public init(client: String, held: Double) {
            self.client = client
            self.held = held
        }
    }

    /// Which accesses are meant: those at or beyond this percentile of the client's responses,
    /// such as `p99`; `max` when there were too few for any.
    public var beyond: String
    /// How many of them were looked at: the slowest.
    public var accesses: Int
    /// On average from the intended start to the start, in nanoseconds: no worker was free.
    public var queued: UInt64
    /// On average from the start to the entry into the closure, in nanoseconds.
    public var waited: UInt64
    /// On average inside the closure, in nanoseconds.
    public var service: UInt64
    /// What they waited for: `reader`, `writer` or `connection`; nil where each access has a
    /// connection of its own.
    public var resource: String?
    /// How many of it there are; nil where it is not known.
    public var capacity: Int?
    /// Who held it while they waited, whoever held most first.
    public var holders: [Holder]

    /// Creates a split; durations are in nanoseconds.
    public init(
        beyond: String,
        accesses: Int,
        queued: UInt64 = 0,
        waited: UInt64 = 0,
        service: UInt64 = 0,
        resource: String? = nil,
        capacity: Int? = nil,
        holders: [Holder] = []
    ) {
        self.beyond = beyond
        self.accesses = accesses
        self.queued = queued
        self.waited = waited
        self.service = service
        self.resource = resource
        self.capacity = capacity
        self.holders = holders
    }

    /// Their mean response, in nanoseconds.
    public var response: UInt64 { queued &+ waited &+ service }
}
