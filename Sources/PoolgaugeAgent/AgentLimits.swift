/// The limits on an agent's clients, memory use, and response times.
struct AgentLimits: Sendable {
    /// The maximum number of clients.
    var maximumClientCount = 8
    /// The maximum number of connections that the agent has ended but that clients have not closed.
    var maximumEndedCount = 16
    /// The maximum number of pending bytes for a client.
    ///
    /// A status of a large pool takes about 20 KiB.
    var maximumPendingBytes = 1 << 20
    /// The time limit for a client to accept pending bytes, in nanoseconds.
    var stallTimeout: UInt64 = 5_000_000_000
    /// The time limit for a complete request, in nanoseconds.
    ///
    /// The limit starts when the agent accepts the connection or has sent the previous response.
    var requestTimeout: UInt64 = 30_000_000_000
    /// The time that the agent waits for a client to close an ended connection, in nanoseconds.
    var endTimeout: UInt64 = 1_000_000_000
    /// The size of a client's send buffer in bytes, or `nil` for the system's default.
    var sendBufferSize: Int32?
}
