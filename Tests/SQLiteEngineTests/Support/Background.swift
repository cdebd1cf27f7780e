import Foundation
import Telemetry

/// Work on a thread of its own.
final class Background<Value: Sendable>: Sendable {
    private let result = Lock<Result<Value, any Error>?>(nil)
    private let done = Gate()

    /// Starts the thread.
    init(_ body: @escaping @Sendable () throws -> Value) {
        Thread.detachNewThread { [self] in
            let outcome = Result { try body() }
            result.withLock { $0 = outcome }
            done.open()
        }
    }

    /// Whether the work has ended.
    var isDone: Bool { result.withLock { $0 != nil } }

    /// Waits for the end of the work, and gives or throws what it did.
    func value() throws -> Value {
        try done.wait()
        done.open()
        guard let result = result.withLock({ $0 }) else { throw Gate.Timeout() }
        return try result.get()
    }
}

/// Runs a long test on a thread of its own: on one of the few that tasks share, it would keep the
/// others from running.
///
/// An expectation that fails on that thread is not attributed to the test; return what it is to
/// check instead.
func onOwnThread<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
) async throws -> Value {
    let outcome = Promise<Result<Value, any Error>>()
    Thread.detachNewThread { outcome.fulfill(Result { try body() }) }
    return try await outcome.value().get()
}
