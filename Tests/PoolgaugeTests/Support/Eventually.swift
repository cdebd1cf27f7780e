import Foundation

/// Polls until `probe` returns a value, and returns it.
///
/// Use this function only for conditions without a notification. Examples are the end of another
/// process's child and the age in a status. Wait directly for a child process, a pipe, or a thread.
///
/// - Parameters:
///   - what: A description of the expected value, for the error.
///   - timeout: The timeout in seconds. The default is far longer than a slow, busy machine
///     needs.
///   - probe: A closure that returns the value, or `nil` if it is not available yet.
/// - Returns: The value.
/// - Throws: ``TimedOut``, or an error from `probe`.
func eventually<Value>(
    _ what: String,
    timeout: TimeInterval = 60,
    _ probe: () throws -> Value?
) throws -> Value {
    let start = DispatchTime.now().uptimeNanoseconds
    while true {
        if let value = try probe() { return value }
        let waited = Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9
        guard waited < timeout else {
            throw TimedOut(description: "timed out after \(timeout) s: \(what)")
        }
        // Leaves the core to the thread or process that provides the value.
        usleep(1_000)
    }
}
