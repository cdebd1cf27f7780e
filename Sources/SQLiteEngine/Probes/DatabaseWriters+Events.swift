import Telemetry

extension DatabasePool {
    /// Returns a stream of events from the pool's connections and snapshots, starting now.
    ///
    /// Events are slow accesses, interrupts, encountered locks, snapshots created and closed,
    /// connections opened and closed, and checkpoints. Each call returns a separate stream, which
    /// ends with the pool. Events cost nothing without listeners. Slow accesses are not reported if
    /// ``Configuration/probes`` is off.
    ///
    /// - Parameters:
    ///   - limit: The minimum duration of a slow access, including the wait.
    ///   - capacity: The number of events buffered for a slow listener. The oldest events are
    ///     dropped.
    /// - Returns: The stream of events.
    public func events(
        slowerThan limit: Duration = .milliseconds(100),
        buffering capacity: Int = 256
    ) -> AsyncStream<ConnectionEvent> {
        writer.events.events(slowness: limit.wholeNanoseconds, capacity: capacity)
    }
}

extension DatabaseQueue {
    /// Returns a stream of events from the queue's connection, starting now.
    ///
    /// Events are slow accesses, interrupts, encountered locks, the opening and closing of the
    /// connection, and checkpoints. Each call returns a separate stream, which ends with the queue.
    /// Events cost nothing without listeners. Slow accesses are not reported if
    /// ``Configuration/probes`` is off.
    ///
    /// - Parameters:
    ///   - limit: The minimum duration of a slow access, including the wait.
    ///   - capacity: The number of events buffered for a slow listener. The oldest events are
    ///     dropped.
    /// - Returns: The stream of events.
    public func events(
        slowerThan limit: Duration = .milliseconds(100),
        buffering capacity: Int = 256
    ) -> AsyncStream<ConnectionEvent> {
        gate.events.events(slowness: limit.wholeNanoseconds, capacity: capacity)
    }
}

extension Duration {
    /// The duration in nanoseconds; 0 if the duration is negative.
    fileprivate var wholeNanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        let (whole, isTooLong) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        return isTooLong ? .max : whole &+ UInt64(attoseconds) / 1_000_000_000
    }
}
