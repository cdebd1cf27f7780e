import Dispatch
import Foundation

/// An error thrown when a wait times out.
package struct TimedOut: Error, CustomStringConvertible {
    package var description: String

    package init(description: String = "a wait timed out") { self.description = description }
}

/// A gate that makes threads wait.
///
/// Another thread opens the gate once for each waiter.
///
/// Because a wait has a timeout, a failing test does not hang.
package final class Gate: Sendable {
    package typealias Timeout = TimedOut

    private let semaphore = DispatchSemaphore(value: 0)

    package init() {}

    /// Releases one waiter, either a current waiter or the next one.
    package func open() { semaphore.signal() }

    /// Blocks the thread until the gate is opened.
    package func wait(seconds: Int = 20) throws {
        guard semaphore.wait(timeout: .now() + .seconds(seconds)) == .success else {
            throw TimedOut(description: "the gate was closed for \(seconds) s")
        }
    }
}

/// Polls until `probe` returns a value, and returns it.
///
/// Use this function only for conditions without a notification. Examples are the start of a wait,
/// the end of another process's child, and the age in a status. Wait directly for a child process, a
/// pipe, or a thread.
///
/// - Parameters:
///   - what: A description of the expected value, for the error.
///   - timeout: The timeout in seconds. The default is far longer than a slow, busy machine
///     needs.
///   - interval: The time between two calls of `probe`, in microseconds. With 0, the thread only
///     yields.
///   - probe: A closure that returns the value, or `nil` if it is not available yet.
/// - Returns: The value.
/// - Throws: ``TimedOut``, or an error from `probe`.
package func eventually<Value>(
    _ what: String,
    timeout: TimeInterval = 60,
    every interval: UInt32 = 1_000,
    _ probe: () throws -> Value?
) throws -> Value {
    let deadline = DispatchTime.now() + timeout
    while true {
        if let value = try probe() { return value }
        guard DispatchTime.now() < deadline else {
            throw TimedOut(description: "timed out after \(timeout) s: \(what)")
        }
        // Leaves the core to the thread or process that provides the value.
        if interval == 0 { sched_yield() } else { usleep(interval) }
    }
}

/// Polls until a condition is met, and throws an error after 20 seconds.
package func eventually(every interval: UInt32 = 0, _ condition: () throws -> Bool) throws {
    try eventually("a condition", timeout: 20, every: interval) { try condition() ? () : nil }
}

/// Polls until a condition is met, and yields to other tasks between the checks.
package func eventuallyAsync(_ condition: () throws -> Bool) async throws {
    let deadline = DispatchTime.now() + 20
    while try !condition() {
        guard DispatchTime.now() < deadline else { throw TimedOut() }
        await Task.yield()
    }
}
