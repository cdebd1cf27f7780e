#if GRDB
import Synchronization
import Telemetry

/// The streams of a database's events.
final class EventListeners: Sendable {
    private struct Listener {
        var limit: UInt64
        var continuation: AsyncStream<ConnectionEvent>.Continuation
    }

    private struct State {
        var lastNumber = 0
        var listeners: [Int: Listener] = [:]
    }

    private let state = Lock(State())
    private let hasListeners = Atomic<Bool>(false)

    deinit {
        for listener in state.withLock({ Array($0.listeners.values) }) {
            listener.continuation.finish()
        }
    }

    func events(slowerThan limit: Duration, buffering capacity: Int) -> AsyncStream<ConnectionEvent>
    {
        let (stream, continuation) = AsyncStream.makeStream(
            of: ConnectionEvent.self,
            bufferingPolicy: .bufferingNewest(capacity)
        )
        let nanoseconds = UInt64(max(0, min(limit / .nanoseconds(1), 1e18)))
        let number = state.withLock { state in
            state.lastNumber += 1
            state.listeners[state.lastNumber] = Listener(
                limit: nanoseconds,
                continuation: continuation
            )
            hasListeners.store(true, ordering: .relaxed)
            return state.lastNumber
        }
        continuation.onTermination = { [weak self] _ in self?.remove(number) }
        return stream
    }

    private func remove(_ number: Int) {
        // Release the continuation outside the lock.
        let removed = state.withLock { state in
            let removed = state.listeners.removeValue(forKey: number)
            hasListeners.store(!state.listeners.isEmpty, ordering: .relaxed)
            return removed
        }
        _ = removed
    }

    var isActive: Bool { hasListeners.load(ordering: .relaxed) }

    /// Delivers an event to all listeners.
    ///
    /// Without listeners, this method does not create the event.
    func emit(_ label: String, _ kind: @autoclosure () -> ConnectionEvent.Kind) {
        guard isActive else { return }
        let event = ConnectionEvent(
            timeNanoseconds: monotonicNanoseconds(),
            label: label,
            kind: kind()
        )
        for listener in state.withLock({ Array($0.listeners.values) }) {
            if case .slowAccess(_, let waited, let held) = event.kind,
                waited &+ held < listener.limit
            {
                continue
            }
            listener.continuation.yield(event)
        }
    }
}
#endif
