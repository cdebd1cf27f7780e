import Dispatch

/// A gate that threads wait for, and that another thread opens once for each waiter.
///
/// A wait has a timeout, so that a failing test does not hang.
final class Gate: Sendable {
    /// The error of a wait that times out.
    struct Timeout: Error {}

    private let semaphore = DispatchSemaphore(value: 0)

    /// Lets one waiter pass: a current one, or the next one.
    func open() { semaphore.signal() }

    /// Blocks the thread until the gate is opened.
    func wait() throws {
        guard semaphore.wait(timeout: .now() + .seconds(20)) == .success else { throw Timeout() }
    }
}
