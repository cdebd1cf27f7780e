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
        /// Whether it has ended, and nobody counts its interrupts any more.
        var isOver = false
    }

    /// How long after an interrupt it is sent again, first and at most, in nanoseconds.
    private static let firstPause: UInt64 = 1_000_000
    private static let longestPause: UInt64 = 100_000_000

    private let alarm: AlarmClock?
    private let state = Lock(State())

    /// Creates an access that has not begun.
    ///
    /// - Parameter alarm: What sends an interrupt again; nil where once is enough.
    init(repeatingOn alarm: AlarmClock? = nil) { self.alarm = alarm }

    /// When it was interrupted first, on the clock.
    var requestedAt: UInt64? { state.withLock { $0.requestedAt } }

    /// Interrupts it, again and again until it leaves.
    ///
    /// Once is not enough: SQLite forgets an interrupt that comes between the entry and the
    /// statement (<https://sqlite.org/c3ref/interrupt.html>). Whatever it meets later belongs to
    /// the same access.
    ///
    /// - Parameters:
    ///   - now: The time on the clock.
    ///   - count: Called the first time, before the access can end of it.
    /// - Returns: Whether the access was still there.
    @discardableResult
    func request(at now: UInt64, _ count: () -> Void = {}) -> Bool {
        // Inside the lock: the connection must stay this access's.
        let (isHeard, mustRepeat) = state.withLock { state -> (Bool, Bool) in
            guard !state.isOver else { return (false, false) }
            let isFirst = state.requestedAt == nil
            if isFirst {
                state.requestedAt = now
                count()
            }
            state.interrupt?()
            return (true, isFirst && state.interrupt != nil)
        }
        if mustRepeat { interruptAgain(after: Self.firstPause) }
        return isHeard
    }

    /// Sends the interrupt again, after a pause that doubles each time.
    private func interruptAgain(after pause: UInt64) {
        // Weak: a clock that is stopped keeps what it has not called.
        alarm?.set(after: pause) { [weak self] in
            guard let self else { return }
            let isRunning = self.state.withLock { state in
                state.interrupt?()
                return state.interrupt != nil
            }
            if isRunning { self.interruptAgain(after: min(pause * 2, Self.longestPause)) }
        }
    }

    /// Says that the access has its connection.
    ///
    /// - Throws: ``Superseded`` when it was interrupted meanwhile.
    func enter(_ interrupt: (@Sendable () -> Void)?) throws {
        let isSuperseded = state.withLock { state in
            if state.requestedAt != nil { return true }
            state.interrupt = interrupt
            return false
        }
        if isSuperseded { throw Superseded() }
    }

    /// Says that the access gives its connection back.
    func leave() { state.withLock { $0.interrupt = nil } }

    /// Says that the access has ended, and with it the counting of its interrupts.
    ///
    /// - Returns: When it was interrupted first, on the clock; nil when it was not.
    func end() -> UInt64? {
        state.withLock { state in
            state.isOver = true
            return state.requestedAt
        }
    }
}
