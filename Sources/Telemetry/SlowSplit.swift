/// How a client's recent slow accesses spent their time, and which clients held the resources that
/// they waited for.
public struct SlowSplit: Sendable, Codable, Equatable {
    /// A client that held the resource that others waited for.
    public struct Holder: Sendable, Codable, Equatable {
        /// The name of the client.
        public var client: String
        /// The average number of connections that it held during the waits.
        public var held: Double

        /// Creates a holder.
        public init(client: String, held: Double) {
            self.client = client
            self.held = held
        }
    }

    /// The percentile of the client's responses from which accesses are included, such as `p99`;
    /// `max` if there were too few values for a percentile.
    public var beyond: String
    /// The number of analyzed accesses, which are the slowest.
    public var accesses: Int
    /// The average time from the intended start to the start, in nanoseconds, during which no
    /// worker was free.
    public var queued: UInt64
    /// The average time from the start to the entry into the closure, in nanoseconds.
    public var waited: UInt64
    /// The average time inside the closure, in nanoseconds.
    public var service: UInt64
    /// The resource that they waited for: `reader`, `writer` or `connection`; nil if each access
    /// has a separate connection.
    public var resource: String?
    /// The number of these connections; nil if unknown.
    public var capacity: Int?
    /// The clients that held these connections during the waits, starting with the largest holder.
    public var holders: [Holder]

    /// Creates a split.
    ///
    /// Durations are in nanoseconds.
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

    /// The mean response time, in nanoseconds.
    public var response: UInt64 { queued &+ waited &+ service }
}
