import Synchronization
import Telemetry

/// Carries what happens to connections to those who listen.
///
/// While nobody does, an event costs one load of an atomic, and a fast access none: its duration
/// is compared with a limit that is out of reach.
///
/// `@unchecked Sendable`: `limit` points to an atomic that lives as long as the object.
final class EventHub: @unchecked Sendable {
    private struct Listener {
        var slowness: UInt64
        var continuation: AsyncStream<ConnectionEvent>.Continuation
    }

    private struct State {
        var next = 0
        var listeners: [Int: Listener] = [:]
    }

    private let state = Lock(State())
    private let hasListeners = Atomic<Bool>(false)

    /// From which duration an access is slow to any listener, in nanoseconds.
    let limit: UnsafeMutablePointer<Atomic<UInt64>>

    init() {
        limit = .allocate(capacity: 1)
        limit.initialize(to: Atomic(.max))
    }

    deinit {
        for listener in state.withLock({ Array($0.listeners.values) }) {
            listener.continuation.finish()
        }
        limit.deinitialize(count: 1)
        limit.deallocate()
    }

    /// Begins to listen.
    ///
    /// - Parameters:
    ///   - slowness: The duration from which an access is slow, in nanoseconds.
    ///   - capacity: How many events wait for a slow listener; older ones are dropped.
    /// - Returns: The events until the hub goes away.
    func events(slowness: UInt64, capacity: Int) -> AsyncStream<ConnectionEvent> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: ConnectionEvent.self,
            bufferingPolicy: .bufferingNewest(capacity)
        )
        let number = state.withLock { state in
            state.next += 1
            state.listeners[state.next] = Listener(slowness: slowness, continuation: continuation)
            update(state)
            return state.next
        }
        continuation.onTermination = { [weak self] _ in self?.remove(number) }
        return stream
    }

    private func remove(_ number: Int) {
        // The continuation goes away outside the lock.
        let removed = state.withLock { state in
            defer { update(state) }
            return state.listeners.removeValue(forKey: number)
        }
        _ = removed
    }

    private func update(_ state: State) {
        hasListeners.store(!state.listeners.isEmpty, ordering: .relaxed)
        let slowness = state.listeners.values.map(\.slowness).min() ?? .max
        limit.pointee.store(slowness, ordering: .relaxed)
    }

    /// How many listen.
    var listenerCount: Int { state.withLock { $0.listeners.count } }

    /// Tells an event to all who listen; it is not even made when nobody does.
    @inline(__always)
    func emit(_ label: @autoclosure () -> String, _ kind: @autoclosure () -> ConnectionEvent.Kind) {
        guard hasListeners.load(ordering: .relaxed) else { return }
        tell(label(), kind())
    }

    @inline(never)
    private func tell(_ label: String, _ kind: ConnectionEvent.Kind) {
        let event = ConnectionEvent(
            timeNanoseconds: monotonicNanoseconds(),
            label: label,
            kind: kind
        )
        for listener in state.withLock({ Array($0.listeners.values) }) {
            if case .slowAccess(_, let waited, let held) = kind,
                waited &+ held < listener.slowness
            {
                continue
            }
            listener.continuation.yield(event)
        }
    }
}
