import Telemetry

#if canImport(Darwin)
import Dispatch
#else
// Elsewhere `DispatchQueue` does not say that it is Sendable; it is.
@preconcurrency import Dispatch
#endif

/// Tells values whose telling runs closures of the user's, one after the other, on one thread as
/// long as they are quick.
///
/// Any of them may last, or wait for another: then a second thread goes on with the rest.
final class TellingTurns: Sendable {
    private let rest: Lock<ArraySlice<any ObservedMember>>

    init(_ members: [any ObservedMember]) { rest = Lock(members[...]) }

    /// Begins, on a concurrent queue.
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

    /// What a thread does.
    typealias Turn = @Sendable () -> Void

    /// Begins.
    ///
    /// - Parameters:
    ///   - running: Runs something on another thread, beside all that runs already.
    ///   - later: The same, when somebody has waited for long enough.
    func start(
        running: @escaping @Sendable (@escaping Turn) -> Void,
        later: @escaping @Sendable (@escaping Turn) -> Void
    ) {
        // Asked before the first turn begins: it may come to the last but one, and stay.
        let maySomebodyWait = rest.withLock { $0.count > 1 }
        running { self.goOn() }
        guard maySomebodyWait else { return }
        later {
            if self.rest.withLock({ !$0.isEmpty }) { self.start(running: running, later: later) }
        }
    }

    private func goOn() {
        while let member = rest.withLock({ $0.popFirst() }) { Delivery.tell([member]) }
    }
}
