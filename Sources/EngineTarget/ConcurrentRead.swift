import Dispatch
import Telemetry

/// A read on another thread whose requester waits for it.
package final class ConcurrentRead: Sendable {
    private let result = Lock<Result<Void, any Error>?>(nil)
    private let ended = DispatchSemaphore(value: 0)

    /// Creates a read that has not ended.
    package init() {}

    /// Ends the read, and wakes the waiting thread.
    package func end(_ result: Result<Void, any Error>) {
        self.result.withLock { $0 = result }
        ended.signal()
    }

    /// Waits for the end of the read.
    ///
    /// - Throws: The error of the read.
    package func wait() throws {
        ended.wait()
        try result.withLock { $0 }?.get()
    }
}
