import Telemetry

extension DatabasePool {
    /// Returns a stream of new events from the pool's connections and snapshots.
    ///
    /// The stream reports slow accesses, interrupts, encountered locks, checkpoints, the creation
    /// and closing of snapshots, and the opening and closing of connections. It does not report
    /// slow accesses if ``Configuration/probes`` is off. Each call returns a separate stream, which
    /// ends when the pool and its snapshots are deallocated.
    ///
    /// - Parameters:
    ///   - limit: The minimum duration of a slow access, including its wait.
    ///   - capacity: The number of events to buffer. When the buffer is full, the stream drops the
    ///     oldest event.
    /// - Returns: The stream of events.
    public func events(
        slowerThan limit: Duration = .milliseconds(100),
        buffering capacity: Int = 256
    ) -> AsyncStream<ConnectionEvent> {
        writer.events.events(slowness: limit.wholeNanoseconds, capacity: capacity)
    }
}

extension DatabaseQueue {
    /// Returns a stream of new events from the queue's connection.
    ///
    /// The stream reports slow accesses, interrupts, encountered locks, checkpoints, and the
    /// opening and closing of the connection. It does not report slow accesses if
    /// ``Configuration/probes`` is off. Each call returns a separate stream, which ends when the
    /// queue is deallocated.
    ///
    /// - Parameters:
    ///   - limit: The minimum duration of a slow access, including its wait.
    ///   - capacity: The number of events to buffer. When the buffer is full, the stream drops the
    ///     oldest event.
    /// - Returns: The stream of events.
    public func events(
        slowerThan limit: Duration = .milliseconds(100),
        buffering capacity: Int = 256
    ) -> AsyncStream<ConnectionEvent> {
        gate.events.events(slowness: limit.wholeNanoseconds, capacity: capacity)
    }
}

extension Duration {
    /// The duration in nanoseconds, or 0 if the duration is negative.
    fileprivate var wholeNanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        let (whole, isTooLong) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        return isTooLong ? .max : whole &+ UInt64(attoseconds) / 1_000_000_000
    }
}
