import Dispatch

/// A gate that makes threads wait.
///
/// Another thread opens the gate once for each waiter.
///
/// Because a wait has a timeout, a failing test does not hang.
final class Gate: Sendable {
    /// The error that a wait throws when it times out.
    struct Timeout: Error {}

    private let semaphore = DispatchSemaphore(value: 0)

    /// Releases one waiter, either a current waiter or the next one.
    func open() { semaphore.signal() }

    /// Blocks the thread until the gate is opened.
    func wait(seconds: Int = 20) throws {
        let deadline = DispatchTime.now() + .seconds(seconds)
        guard semaphore.wait(timeout: deadline) == .success else { throw Timeout() }
    }
}
