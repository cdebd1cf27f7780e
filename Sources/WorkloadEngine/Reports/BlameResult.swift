/// The resource that a client's slow accesses waited for, and the clients that held it.
public struct BlameResult: Sendable, Codable, Equatable {
    /// The percentile of the client's response times at which accesses start to count as slow, such
    /// as `p99`, or `max` if there were too few accesses for a percentile.
    public var beyond: String
    /// The response time at that percentile, in nanoseconds.
    public var from: UInt64
    /// The number of examined accesses, which are the slowest.
    public var accesses: Int
    /// The mean response time of these accesses, in nanoseconds: the sum of the next three values.
    public var response: UInt64
    /// The part from intended start to start: until a worker of the client was free and awake.
    public var queued: UInt64
    /// The part from start to entry into the closure.
    public var waited: UInt64
    /// The part inside the closure.
    public var service: UInt64
    /// The resource that the accesses waited for: `reader`, `writer` or `connection`; absent if
    /// each access has its own connection.
    public var resource: AccessResource?
    /// The number of connections of that kind; absent if unknown.
    public var capacity: Int?
    /// The clients that held the resource between the intended starts and the entries, starting
    /// with the longest time.
    public var holders: [Holder]
    /// The slowest accesses, starting with the slowest.
    public var slowest: [Access]

    /// A client that held the resource.
    public struct Holder: Sendable, Codable, Equatable {
        /// The client's name.
        public var client: String
        /// The mean number of connections that the client held during the waits.
        public var held: Double
        /// The client's longest hold in the measured time, in nanoseconds.
        public var longest: UInt64
    }

    /// A slow access.
    public struct Access: Sendable, Codable, Equatable {
        /// The intended start, in seconds since the start of the load, including pauses.
        public var time: Double
        /// The operation.
        public var operation: String
        /// The time from intended start to end, in nanoseconds.
        public var response: UInt64
        /// The time from intended start to start, in nanoseconds.
        public var queued: UInt64
        /// The time from start to entry into the closure, in nanoseconds.
        public var waited: UInt64
        /// The time inside the closure, in nanoseconds.
        public var service: UInt64
        /// The mean number of connections that each client held during the wait, keyed by the
        /// client's name.
        public var held: [String: Double]
    }
}
