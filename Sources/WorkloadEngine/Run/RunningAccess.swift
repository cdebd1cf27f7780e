import Telemetry

/// An access that others may interrupt: while it waits, from inside of it, and not a moment longer,
/// so that nobody interrupts who got the connection next.
final class RunningAccess: Sendable {
    /// The access was interrupted before it got its connection.
    struct Superseded: Error, CustomStringConvertible {
        let description = "interrupted before it had a connection"
    }

    private struct State: Sendable {
        var requestedAt: UInt64?
        var interrupt: (@Sendable () -> Void)?
    }

    private let state = Lock(State())

    /// When it was interrupted first, on the clock.
    var requestedAt: UInt64? { state.withLock { $0.requestedAt } }

    /// Interrupts it.
    ///
    /// - Returns: Whether it was the first time.
    func request(at now: UInt64) -> Bool {
        // Inside the lock: the connection must stay this access's.
        state.withLock { state in
            let isFirst = state.requestedAt == nil
            state.requestedAt = state.requestedAt ?? now
            state.interrupt?()
            return isFirst
        }
    }

    /// Says that the access has its connection.
    ///
    /// - Throws: ``Superseded`` when it was interrupted meanwhile.
    func enter(_ interrupt: (@Sendable () -> Void)?) throws {
        let isSuperseded = state.withLock { state in
            state.interrupt = interrupt
            return state.requestedAt != nil
        }
        if isSuperseded { throw Superseded() }
    }

    /// Says that the access gives its connection back.
    func leave() { state.withLock { $0.interrupt = nil } }
}
