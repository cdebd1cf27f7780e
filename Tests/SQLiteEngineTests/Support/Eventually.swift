import Foundation
import Telemetry

/// Polls until `condition` holds; throws if it does not.
///
/// Use it for states without a notification, such as the start of a wait.
func eventually(_ condition: () throws -> Bool) throws {
    let deadline = monotonicNanoseconds() + 20_000_000_000
    while try !condition() {
        guard monotonicNanoseconds() < deadline else { throw Gate.Timeout() }
        sched_yield()
    }
}

/// Polls until `condition` holds, and lets other tasks run meanwhile.
func eventuallyAsync(_ condition: () throws -> Bool) async throws {
    let deadline = monotonicNanoseconds() + 20_000_000_000
    while try !condition() {
        guard monotonicNanoseconds() < deadline else { throw Gate.Timeout() }
        await Task.yield()
    }
}
