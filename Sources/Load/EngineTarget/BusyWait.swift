import CSQLite
import Foundation
import SQLiteEngine
import Scenarios
import Synchronization
import Telemetry
import WorkloadEngine

/// A busy handler that pauses according to an arm's `busy` setting and measures the wait.
///
/// Only the thread that uses the connection calls the handler.
package final class BusyWait: Sendable {
    /// A handler's functions for reading the clock and pausing, which tests can replace.
    package struct Timing: Sendable {
        /// A function that returns the time, in nanoseconds.
        package var now: @Sendable () -> UInt64
        /// A function that pauses for a number of nanoseconds.
        package var sleep: @Sendable (UInt64) -> Void

        package init(
            now: @escaping @Sendable () -> UInt64,
            sleep: @escaping @Sendable (UInt64) -> Void
        ) {
            self.now = now
            self.sleep = sleep
        }

        package static let system = Timing(now: monotonicNanoseconds) { nanoseconds in
            var rest = timespec(
                tv_sec: Int(nanoseconds / 1_000_000_000),
                tv_nsec: Int(nanoseconds % 1_000_000_000)
            )
            // Continue if a signal interrupts the pause.
            var remaining = timespec()
            while nanosleep(&rest, &remaining) != 0, errno == EINTR { rest = remaining }
        }
    }

    private struct State: Sendable {
        var start: UInt64 = 0
        var wait = LockWait()
    }

    private let timeout: UInt64
    private let retry: BusyRetry
    private let timing: Timing
    // The lock is never contended, because only one thread at a time uses the state.
    private let state = Lock(State())
    /// Whether the current statement has called the handler.
    private let wasCalled = Atomic<Bool>(false)

    /// Creates a handler.
    ///
    /// - Parameters:
    ///   - timeout: The time after which the handler gives up. If the time is zero, the handler
    ///     gives up immediately.
    ///   - retry: The lengths of the pauses, or `nil` for ``BusyRetry/backoff``.
    ///   - timing: The functions for reading the clock and pausing.
    package init(timeout: Duration, retry: BusyRetry?, timing: Timing = .system) {
        self.timeout = UInt64(max(0, timeout / .nanoseconds(1)).rounded(.up))
        self.retry = retry ?? .backoff
        self.timing = timing
    }

    /// Pauses before the next attempt to acquire a lock.
    ///
    /// - Parameter tries: The number of previous calls for the same lock.
    /// - Returns: Whether to try again.
    package func handle(tries: Int) -> Bool {
        wasCalled.store(true, ordering: .relaxed)
        let now = timing.now()
        let pause = state.withLock { state -> UInt64? in
            if tries == 0 { state = State(start: now) }
            state.wait.timeout = timeout
            state.wait.nanoseconds = now &- state.start
            let pause = self.pause(tries: tries, elapsed: state.wait.nanoseconds)
            if pause == nil { state.wait.didStopRetrying = true }
            return pause
        }
        guard let pause else { return false }
        timing.sleep(pause)
        return true
    }

    private func pause(tries: Int, elapsed: UInt64) -> UInt64? {
        switch retry {
        case .backoff:
            BusyBackoff.pause(tries: tries, timeout: Double(timeout) / 1e9)
                .map { UInt64($0) * 1_000_000 }
        case .fixed(let pause):
            elapsed < timeout ? UInt64(max(0, pause / .nanoseconds(1))) : nil
        }
    }

    /// Marks the start of a statement.
    @inline(__always)
    package func begin() { wasCalled.store(false, ordering: .relaxed) }

    /// Returns the lock wait of the statement that just failed, and clears it.
    func take() -> LockWait {
        let wasCalled = wasCalled.load(ordering: .relaxed)
        return state.withLock { state in
            defer { state.wait = LockWait() }
            var result = wasCalled && state.wait.didStopRetrying ? state.wait : LockWait()
            result.timeout = timeout
            return result
        }
    }

    package func takeHandler() -> BusyFailure.Handler { BusyFailure(wait: take()).handler }

    /// Installs the handler on a connection.
    ///
    /// The connection must be closed before the handler is released.
    func install(on connection: OpaquePointer?) {
        sqlite3_busy_handler(
            connection,
            { this, tries in
                guard let this else { return 0 }
                return Unmanaged<BusyWait>.fromOpaque(this).takeUnretainedValue()
                    .handle(tries: Int(tries)) ? 1 : 0
            },
            Unmanaged.passUnretained(self).toOpaque()
        )
    }
}

extension BusyFailure {
    package init(statement: String? = nil, wait: LockWait?, holder: String? = nil) {
        let handler: Handler =
            switch wait {
            case nil: .unknown
            case let wait? where wait.didStopRetrying:
                .gaveUp(waited: wait.nanoseconds, timeout: wait.timeout)
            case _?: .skipped
            }
        self.init(statement: statement, handler: handler, holder: holder)
    }
}

extension Arm {
    package var replacesBusyHandler: Bool {
        pragmas.contains { $0.name.lowercased() == "busy_timeout" }
    }
}
