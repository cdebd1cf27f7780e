/// The causes of a client's slow accesses.
public struct BlameResult: Sendable, Codable, Equatable {
    /// The percentile above which response times are slow, such as `p99`, or `max`.
    ///
    /// The value is `max` if there were too few accesses for a percentile.
    public var beyond: String
    /// The response time at that percentile, in nanoseconds.
    public var from: UInt64
    /// The number of slow accesses that were analyzed.
    public var accesses: Int
    /// The mean response time of these accesses, in nanoseconds.
    ///
    /// This time is the sum of ``queued``, ``waited``, and ``service``.
    public var response: UInt64
    /// The mean time from intended start to actual start, in nanoseconds.
    ///
    /// During this time, accesses wait until a worker of the client is free and awake.
    public var queued: UInt64
    /// The mean time from access start to closure start, in nanoseconds.
    public var waited: UInt64
    /// The mean time inside the closure, in nanoseconds.
    public var service: UInt64
    /// The resource that the accesses need, or `nil` if each access has its own connection.
    public var resource: AccessResource?
    /// The number of connections that provide the resource, or `nil` if unknown.
    public var capacity: Int?
    /// The clients that held the resource during the waits, longest first.
    public var holders: [Holder]
    /// The slowest accesses, in descending order of response time.
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
        /// The operation's name.
        public var operation: String
        /// The time from intended start to end, in nanoseconds.
        public var response: UInt64
        /// The time from intended start to actual start, in nanoseconds.
        public var queued: UInt64
        /// The time from access start to closure start, in nanoseconds.
        public var waited: UInt64
        /// The time inside the closure, in nanoseconds.
        public var service: UInt64
        /// The mean number of connections that each client held during the wait, keyed by client
        /// name.
        public var held: [String: Double]
    }
}
