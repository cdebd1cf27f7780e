/// Limits on an agent's memory and on its number of clients.
struct AgentLimits: Sendable {
    /// The maximum number of clients.
    var clients = 8
    /// The maximum number of connections that the agent has ended but that clients have not closed.
    var ended = 16
    /// The maximum number of pending bytes for a client.
    ///
    /// A status of a large pool takes about 20 KiB.
    var pendingBytes = 1 << 20
    /// The time limit for a client to accept pending bytes, in nanoseconds.
    var stall: UInt64 = 5_000_000_000
    /// The time limit for a complete request, in nanoseconds.
    ///
    /// The limit starts when the agent accepts the connection or has sent the previous response.
    var request: UInt64 = 30_000_000_000
    /// The time before the agent closes a connection that it has ended, in nanoseconds.
    var end: UInt64 = 1_000_000_000
    /// The size of a client's send buffer in bytes, or `nil` for the system's default.
    var sendBuffer: Int32?
}
