import Dispatch

/// Something for one thread to wait for and another to open, once for each who waits.
///
/// Waiting has an end, so that a test which fails does not hang.
final class Gate: Sendable {
    /// What waiting throws when nobody opens.
    struct Timeout: Error {}

    private let semaphore = DispatchSemaphore(value: 0)

    /// Lets one through: who waits, or who comes next.
    func open() { semaphore.signal() }

    /// Blocks the thread until somebody opens.
    func wait() throws {
        guard semaphore.wait(timeout: .now() + .seconds(20)) == .success else { throw Timeout() }
    }
}
