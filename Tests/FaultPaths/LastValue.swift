import Dispatch
import Foundation
import SQLiteEngine
import Synchronization

/// An observer of the number of rows in `t` that stores the latest value or the error.
package final class LastValue: Sendable {
    private struct State {
        var value: Int?
        var error: (any Error)?
    }

    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "LastValue")

    package init() {}

    package var value: Int? { state.withLock { $0.value } }
    /// The error that has ended the observation, if any.
    package var error: (any Error)? { state.withLock { $0.error } }

    /// Starts the observation, which ends when the result is released.
    package func start(in writer: any DatabaseWriter) -> AnyDatabaseCancellable {
        ValueObservation.tracking { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM t") }
            .start(
                in: writer,
                scheduling: .async(onQueue: queue),
                onError: { [self] error in state.withLock { $0.error = error } },
                onChange: { [self] value in state.withLock { $0.value = value } }
            )
    }
}

/// Polls for up to ten seconds, and returns whether the condition was met.
package func isEventually(_ condition: () -> Bool) -> Bool {
    let deadline = ContinuousClock.now + .seconds(10)
    while !condition() {
        guard ContinuousClock.now < deadline else { return false }
        sched_yield()
    }
    return true
}
