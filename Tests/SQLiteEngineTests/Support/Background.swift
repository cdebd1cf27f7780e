import Foundation
import Telemetry
import TestSupport

/// Work that runs on a new thread.
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

    /// Waits until the work ends, and returns its value or throws its error.
    func value(seconds: Int = 20) throws -> Value {
        try done.wait(seconds: seconds)
        done.open()
        guard let result = result.withLock({ $0 }) else { throw Gate.Timeout() }
        return try result.get()
    }
}

/// Runs a long test on a new thread.
///
/// The cooperative pool has few threads, and the test must not block them.
///
/// A failed expectation on that thread is not attributed to the test. Return the values to check
/// instead.
func runOnNewThread<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
) async throws -> Value {
    let outcome = Promise<Result<Value, any Error>>()
    Thread.detachNewThread { outcome.fulfill(Result { try body() }) }
    return try await outcome.value().get()
}
