import Dispatch
import Telemetry

/// A read by one thread that another thread waits for.
package final class ConcurrentRead: Sendable {
    private let result = Lock<Result<Void, any Error>?>(nil)
    private let ended = DispatchSemaphore(value: 0)

    package init() {}

    /// Ends the read and wakes the waiting thread.
    package func end(_ result: Result<Void, any Error>) {
        self.result.withLock { $0 = result }
        ended.signal()
    }

    /// Waits until the read ends, and throws its error.
    package func wait() throws {
        ended.wait()
        try result.withLock { $0 }?.get()
    }
}
