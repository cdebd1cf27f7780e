import Dispatch
import Telemetry

/// A read that another thread makes, awaited by the one that asked for it.
package final class ConcurrentRead: Sendable {
    private let result = Lock<Result<Void, any Error>?>(nil)
    private let ended = DispatchSemaphore(value: 0)

    /// Creates a read that has not ended.
    package init() {}

    /// Ends it; who waits goes on.
    package func end(_ result: Result<Void, any Error>) {
        self.result.withLock { $0 = result }
        ended.signal()
    }

    /// Waits for its end.
    ///
    /// - Throws: What the read threw.
    package func wait() throws {
        ended.wait()
        try result.withLock { $0 }?.get()
    }
}
