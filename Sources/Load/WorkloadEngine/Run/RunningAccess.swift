import Telemetry

/// An access that other accesses may interrupt while it waits for or holds its connection.
///
/// An interrupt that arrives after the access releases its connection does not affect the next
/// holder.
final class RunningAccess: Sendable {
    struct Superseded: Error, CustomStringConvertible {
        let description = "interrupted before it acquired a connection"
    }

    struct Interrupted: Error, CustomStringConvertible {
        let description = "interrupted on request"
    }

    private struct State: Sendable {
        var requestedAt: UInt64?
        var interrupt: (@Sendable () -> Void)?
        var hasEnded = false
    }

    /// The first pause before repeating an interrupt, in nanoseconds.
    private static let firstPause: UInt64 = 1_000_000
    /// The maximum pause before repeating an interrupt, in nanoseconds.
    private static let longestPause: UInt64 = 100_000_000

    private let alarm: AlarmClock?
    private let state = Lock(State())

    /// Creates an access that has not started.
    ///
    /// - Parameter alarm: The clock that repeats interrupts, or `nil` to interrupt the access
    ///   only once.
    init(repeatingOn alarm: AlarmClock? = nil) { self.alarm = alarm }

    var requestedAt: UInt64? { state.withLock { $0.requestedAt } }

    /// Interrupts the access repeatedly until it releases its connection.
    ///
    /// SQLite ignores an interrupt that arrives before the statement runs
    /// (<https://sqlite.org/c3ref/interrupt.html>), so a single interrupt is not enough. A
    /// repeated interrupt can affect only statements in the same access.
    ///
    /// This method calls `count` before the first interrupt.
    ///
    /// - Returns: Whether the access was still running.
    @discardableResult
    func request(at now: UInt64, _ count: () -> Void = {}) -> Bool {
        // While the lock is held, the access cannot release its connection.
        let (wasReceived, mustRepeat) = state.withLock { state -> (Bool, Bool) in
            guard !state.hasEnded else { return (false, false) }
            let isFirst = state.requestedAt == nil
            if isFirst {
                state.requestedAt = now
                count()
            }
            state.interrupt?()
            return (true, isFirst && state.interrupt != nil)
        }
        if mustRepeat { interruptAgain(after: Self.firstPause) }
        return wasReceived
    }

    /// Repeats the interrupt after a pause that doubles each time, up to ``longestPause``.
    private func interruptAgain(after pause: UInt64) {
        // Use a weak reference, because a stopped clock retains pending alarms.
        alarm?.set(after: pause) { [weak self] in
            guard let self else { return }
            let isRunning = self.state.withLock { state in
                state.interrupt?()
                return state.interrupt != nil
            }
            if isRunning { self.interruptAgain(after: min(pause * 2, Self.longestPause)) }
        }
    }

    /// Records that the access has acquired its connection.
    ///
    /// - Throws: ``Superseded`` if the access has already been interrupted.
    func enter(_ interrupt: (@Sendable () -> Void)?) throws {
        let isSuperseded = state.withLock { state in
            if state.requestedAt != nil { return true }
            state.interrupt = interrupt
            return false
        }
        if isSuperseded { throw Superseded() }
    }

    /// Records that the access is about to release its connection.
    func leave() { state.withLock { $0.interrupt = nil } }

    /// Ends the access.
    ///
    /// Later interrupts have no effect.
    ///
    /// - Returns: The clock time of the first interrupt, or `nil` if there was none.
    func end() -> UInt64? {
        state.withLock { state in
            state.hasEnded = true
            return state.requestedAt
        }
    }
}
