#if GRDB
import Dispatch
import Foundation
import Telemetry

/// A gate that blocks waiting threads.
///
/// Each call of `open()` releases one thread.
final class Gate: Sendable {
    struct Timeout: Error {}

    private let semaphore = DispatchSemaphore(value: 0)

    func open() { semaphore.signal() }

    func wait() throws {
        guard semaphore.wait(timeout: .now() + 20) == .success else { throw Timeout() }
    }
}

/// A new thread that performs an operation and stores its error.
final class Background: Sendable {
    private let result = Lock<Result<Void, any Error>?>(nil)
    private let done = Gate()

    init(_ body: @escaping @Sendable () throws -> Void) {
        Thread.detachNewThread { [self] in
            let outcome = Result { try body() }
            result.withLock { $0 = outcome }
            done.open()
        }
    }

    /// Waits until the operation ends, and throws its error.
    func end() throws {
        try done.wait()
        try result.withLock { $0 }?.get()
    }
}

/// Evaluates a condition repeatedly until it is true, for at most 20 seconds.
func eventually(_ condition: () throws -> Bool) throws {
    let end = monotonicNanoseconds() + 20_000_000_000
    while try !condition() {
        guard monotonicNanoseconds() < end else { throw Gate.Timeout() }
        sched_yield()
    }
}
#endif
