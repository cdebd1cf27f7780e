/// The time that a client's recent slow accesses spent in each phase, and the clients that held
/// connections while the accesses waited.
public struct SlowSplit: Sendable, Codable, Equatable {
    /// A client that held connections during the waits.
    public struct Holder: Sendable, Codable, Equatable {
        /// The name of the client.
        public var client: String
        /// The average number of connections that the client held during the waits.
        public var held: Double

        /// Creates a holder.
        public init(client: String, held: Double) {
            self.client = client
            self.held = held
        }
    }

    /// The minimum response time of the included accesses, as a percentile such as `p99`, or `max`
    /// if there were too few accesses for a percentile.
    public var beyond: String
    /// The number of included accesses.
    public var accesses: Int
    /// The average time from the scheduled start to the actual start, in nanoseconds.
    ///
    /// During this time, no worker was free.
    public var queued: UInt64
    /// The average time from the start of an access to the start of its closure, in nanoseconds.
    public var waited: UInt64
    /// The average time inside the closure, in nanoseconds.
    public var service: UInt64
    /// The resource that the accesses waited for (`reader`, `writer`, or `connection`), or `nil` if
    /// each access has its own connection.
    public var resource: String?
    /// The number of connections of the ``resource``, or `nil` if unknown.
    public var capacity: Int?
    /// The clients that held these connections during the waits, largest share first.
    public var holders: [Holder]

    /// Creates a split from durations in nanoseconds.
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
