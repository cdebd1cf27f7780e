import Telemetry

/// An access that others may interrupt while it waits and while it holds its connection.
///
/// Afterwards, an interrupt has no effect, so it never affects the next holder of the connection.
final class RunningAccess: Sendable {
    /// The access was interrupted before it acquired its connection.
    struct Superseded: Error, CustomStringConvertible {
        let description = "interrupted before it had a connection"
    }

    /// A requested interrupt ended the access.
    struct Interrupted: Error, CustomStringConvertible {
        let description = "interrupted on request"
    }

    private struct State: Sendable {
        var requestedAt: UInt64?
        var interrupt: (@Sendable () -> Void)?
        /// Whether the access has ended, so that further interrupts do not count.
        var isOver = false
    }

    /// The first and the longest pause before an interrupt is repeated, in nanoseconds.
    private static let firstPause: UInt64 = 1_000_000
    private static let longestPause: UInt64 = 100_000_000

    private let alarm: AlarmClock?
    private let state = Lock(State())

    /// Creates an access that has not started.
    ///
    /// - Parameter alarm: The clock that repeats interrupts; nil to interrupt only once.
    init(repeatingOn alarm: AlarmClock? = nil) { self.alarm = alarm }

    /// The clock time of the first interrupt.
    var requestedAt: UInt64? { state.withLock { $0.requestedAt } }

    /// Interrupts the access repeatedly, until it leaves.
    ///
    /// A single interrupt is not enough: SQLite ignores an interrupt that arrives before the
    /// statement runs (<https://sqlite.org/c3ref/interrupt.html>). A repeated interrupt can only
    /// affect a statement of the same access.
    ///
    /// - Parameters:
    ///   - now: The clock time.
    ///   - count: Called for the first interrupt, before the access can end because of it.
    /// - Returns: Whether the access was still running.
    @discardableResult
    func request(at now: UInt64, _ count: () -> Void = {}) -> Bool {
        // Inside the lock, so that this access still holds the connection.
        let (isReceived, mustRepeat) = state.withLock { state -> (Bool, Bool) in
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
        return isReceived
    }

    /// Repeats the interrupt after a pause that doubles each time.
    private func interruptAgain(after pause: UInt64) {
        // Weak, because a stopped clock retains pending alarms.
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
    /// - Throws: ``Superseded`` if it was interrupted before.
    func enter(_ interrupt: (@Sendable () -> Void)?) throws {
        let isSuperseded = state.withLock { state in
            if state.requestedAt != nil { return true }
            state.interrupt = interrupt
            return false
        }
        if isSuperseded { throw Superseded() }
    }

    /// Records that the access releases its connection.
    func leave() { state.withLock { $0.interrupt = nil } }

    /// Records the end of the access; further interrupts do not count.
    ///
    /// - Returns: The clock time of the first interrupt; nil if there was none.
    func end() -> UInt64? {
        state.withLock { state in
            state.isOver = true
            return state.requestedAt
        }
    }
}
