import Dispatch
import Telemetry

/// A read that one thread performs while another thread waits for the read to end.
package final class ConcurrentRead: Sendable {
    private let result = Lock<Result<Void, any Error>?>(nil)
    private let ended = DispatchSemaphore(value: 0)

    package init() {}

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
