import Dispatch
import Telemetry

/// A read on another thread that the requesting thread waits for.
package final class ConcurrentRead: Sendable {
    private let result = Lock<Result<Void, any Error>?>(nil)
    private let ended = DispatchSemaphore(value: 0)

    /// Creates a read that has not ended.
    package init() {}

    /// Ends the read and wakes the waiting thread.
    package func end(_ result: Result<Void, any Error>) {
        self.result.withLock { $0 = result }
        ended.signal()
    }

    /// Waits until the read ends.
    ///
    /// - Throws: The read's error.
    package func wait() throws {
        ended.wait()
        try result.withLock { $0 }?.get()
    }
}
