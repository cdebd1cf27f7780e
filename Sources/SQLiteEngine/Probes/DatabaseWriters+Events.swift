import Telemetry

extension DatabasePool {
    /// What happens to the pool's connections and snapshots from now on.
    ///
    /// Slow accesses, interrupts, locks of others, snapshots made and closed, connections opened
    /// and closed, checkpoints. Each call gives a stream of its own; it ends with the pool. While
    /// nobody listens, events cost nothing. Slow accesses are told unless
    /// ``Configuration/probes`` is off.
    ///
    /// - Parameters:
    ///   - limit: An access that takes this long, its wait included, is slow.
    ///   - capacity: How many events are kept for a listener that is behind; then the oldest go.
    /// - Returns: The stream of events.
    public func events(
        slowerThan limit: Duration = .milliseconds(100),
        buffering capacity: Int = 256
    ) -> AsyncStream<ConnectionEvent> {
        writer.events.events(slowness: limit.wholeNanoseconds, capacity: capacity)
    }
}

extension DatabaseQueue {
    /// What happens to the queue's connection from now on.
    ///
    /// Slow accesses, interrupts, locks of others, the connection opened and closed, checkpoints.
    /// Each call gives a stream of its own; it ends with the queue. While nobody listens, events
    /// cost nothing. Slow accesses are told unless ``Configuration/probes`` is off.
    ///
    /// - Parameters:
    ///   - limit: An access that takes this long, its wait included, is slow.
    ///   - capacity: How many events are kept for a listener that is behind; then the oldest go.
    /// - Returns: The stream of events.
    public func events(
        slowerThan limit: Duration = .milliseconds(100),
        buffering capacity: Int = 256
    ) -> AsyncStream<ConnectionEvent> {
        gate.events.events(slowness: limit.wholeNanoseconds, capacity: capacity)
    }
}

extension Duration {
    /// The duration in nanoseconds; 0 for one in the past.
    fileprivate var wholeNanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        let (whole, isTooLong) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        return isTooLong ? .max : whole &+ UInt64(attoseconds) / 1_000_000_000
    }
}
