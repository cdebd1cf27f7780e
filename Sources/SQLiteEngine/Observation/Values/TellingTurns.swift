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
    /// How long the rest waits for one that lasts, in nanoseconds.
    private static let patience = 3_000_000

    private let rest: Lock<ArraySlice<any ObservedMember>>

    init(_ members: [any ObservedMember]) { rest = Lock(members[...]) }

    /// Begins, on a concurrent queue.
    func start(on queue: DispatchQueue) {
        queue.async { self.goOn() }
        guard rest.withLock({ $0.count > 1 }) else { return }
        queue.asyncAfter(deadline: .now() + .nanoseconds(Self.patience)) {
            if self.rest.withLock({ !$0.isEmpty }) { self.start(on: queue) }
        }
    }

    private func goOn() {
        while let member = rest.withLock({ $0.popFirst() }) { Delivery.tell([member]) }
    }
}
