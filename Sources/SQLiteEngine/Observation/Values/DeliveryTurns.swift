import Telemetry

#if canImport(Darwin)
import Dispatch
#else
// Outside Darwin, `DispatchQueue` is thread-safe but not declared as `Sendable`.
@preconcurrency import Dispatch
#endif

/// Delivers values through user closures, one after another on one thread.
///
/// If the closures take longer than ``EngineTimings/notificationTurn``, or wait for each other,
/// another thread continues with the remaining values.
final class DeliveryTurns: Sendable {
    private let rest: Lock<ArraySlice<any ObservedMember>>

    init(_ members: [any ObservedMember]) { rest = Lock(members[...]) }

    /// Starts the deliveries on a concurrent queue.
    func start(on queue: DispatchQueue) {
        start(
            running: { queue.async(execute: $0) },
            later: { turn in
                let deadline =
                    DispatchTime.now() + .nanoseconds(Int(EngineTimings.notificationTurn))
                queue.asyncAfter(deadline: deadline, execute: turn)
            }
        )
    }

    /// The work of one thread.
    typealias Turn = @Sendable () -> Void

    /// Starts the deliveries.
    ///
    /// - Parameters:
    ///   - running: A function that runs a closure on another thread, concurrently with all others.
    ///   - later: A function that does the same after ``EngineTimings/notificationTurn``.
    func start(
        running: @escaping @Sendable (@escaping Turn) -> Void,
        later: @escaping @Sendable (@escaping Turn) -> Void
    ) {
        // Read the count before the first turn starts, because that turn may remove all members but
        // one and then block.
        let mayWait = rest.withLock { $0.count > 1 }
        running { self.deliverInTurn() }
        guard mayWait else { return }
        later {
            if self.rest.withLock({ !$0.isEmpty }) { self.start(running: running, later: later) }
        }
    }

    private func deliverInTurn() {
        while let member = rest.withLock({ $0.popFirst() }) { Delivery.deliver([member]) }
    }
}
