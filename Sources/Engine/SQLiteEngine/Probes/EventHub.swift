import Synchronization
import Telemetry

/// An object that delivers the events of connections to listeners.
///
/// Without listeners, an event costs one atomic load. A fast access only compares its duration with
/// a limit.
final class EventHub: Sendable {
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

    /// The lowest minimum duration of a slow access among all listeners, in nanoseconds.
    let limit = Atomic<UInt64>(.max)

    deinit {
        for listener in state.withLock({ Array($0.listeners.values) }) {
            listener.continuation.finish()
        }
    }

    /// Adds a listener.
    ///
    /// - Parameters:
    ///   - slowness: The minimum duration of a slow access, in nanoseconds.
    ///   - capacity: The number of events to buffer. When the buffer is full, the stream drops the
    ///     oldest event.
    /// - Returns: A stream of events, which ends when the hub is deallocated.
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
        // Releases the continuation outside the lock.
        let removed = state.withLock { state in
            defer { update(state) }
            return state.listeners.removeValue(forKey: number)
        }
        _ = removed
    }

    private func update(_ state: State) {
        hasListeners.store(!state.listeners.isEmpty, ordering: .relaxed)
        let slowness = state.listeners.values.map(\.slowness).min() ?? .max
        limit.store(slowness, ordering: .relaxed)
    }

    var listenerCount: Int { state.withLock { $0.listeners.count } }

    /// Delivers an event to all listeners.
    ///
    /// Without listeners, this method does not create the event.
    @inline(__always)
    func emit(_ label: @autoclosure () -> String, _ kind: @autoclosure () -> ConnectionEvent.Kind) {
        guard hasListeners.load(ordering: .relaxed) else { return }
        deliver(label(), kind: kind())
    }

    @inline(never)
    private func deliver(_ label: String, kind: ConnectionEvent.Kind) {
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

extension Duration {
    /// The duration in nanoseconds, or 0 if the duration is negative.
    var wholeNanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        let (whole, isTooLong) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        return isTooLong ? .max : whole &+ UInt64(attoseconds) / 1_000_000_000
    }
}

/// An object that reports the creation, the closing, and the status of a snapshot.
final class SnapshotLife: Sendable {
    let site: AccessSite
    private let events: EventHub
    private let label: String
    /// The time at which the snapshot acquired its state, in nanoseconds on the monotonic clock.
    private let createdAt = monotonicNanoseconds()
    private let hasEnded = Atomic<Bool>(false)

    /// Reports the creation of a snapshot whose connections have been opened.
    ///
    /// The age of the snapshot does not include the opening time.
    init(events: EventHub, label: String, site: AccessSite) {
        self.events = events
        self.label = label
        self.site = site
        events.emit(label, .snapshotMade(by: origin))
    }

    deinit { end() }

    func end() {
        guard !hasEnded.exchange(true, ordering: .relaxed) else { return }
        events.emit(
            label,
            .snapshotClosed(by: origin, age: monotonicNanoseconds() &- createdAt)
        )
    }

    private var origin: AccessOrigin { site.origin ?? AccessOrigin(name: label) }

    func status(at now: UInt64) -> SnapshotStatus {
        SnapshotStatus(
            label: label,
            origin: origin,
            ageNanoseconds: now > createdAt ? now - createdAt : 0
        )
    }
}
