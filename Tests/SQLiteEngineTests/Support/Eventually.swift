import Foundation
import Telemetry

/// Polls until a condition is met, and throws an error after 20 seconds.
///
/// Use this function for states without a notification, such as the start of a wait.
func eventually(_ condition: () throws -> Bool) throws {
    let deadline = monotonicNanoseconds() + 20_000_000_000
    while try !condition() {
        guard monotonicNanoseconds() < deadline else { throw Gate.Timeout() }
        sched_yield()
    }
}

/// Polls until a condition is met, and yields to other tasks between the checks.
func eventuallyAsync(_ condition: () throws -> Bool) async throws {
    let deadline = monotonicNanoseconds() + 20_000_000_000
    while try !condition() {
        guard monotonicNanoseconds() < deadline else { throw Gate.Timeout() }
        await Task.yield()
    }
}
