import Telemetry

/// The response to a request.
enum HTTPAnswer {
    case complete([UInt8])
    /// A stream of events, which starts when the closure is called.
    case events(() -> AsyncStream<ConnectionEvent>)
    /// A checkpoint, whose result is sent when the closure returns.
    case checkpoint(@Sendable () async throws -> AgentCheckpoint)
}
