import Foundation
import Telemetry

/// Looks again and again until `condition` holds; throws when it never does.
///
/// For what a status shows and nobody can be told: that a thread has begun to wait.
func eventually(_ condition: () throws -> Bool) throws {
    let deadline = monotonicNanoseconds() + 20_000_000_000
    while try !condition() {
        guard monotonicNanoseconds() < deadline else { throw Gate.Timeout() }
        sched_yield()
    }
}

/// Looks again and again until `condition` holds, and lets other tasks run between.
func eventuallyAsync(_ condition: () throws -> Bool) async throws {
    let deadline = monotonicNanoseconds() + 20_000_000_000
    while try !condition() {
        guard monotonicNanoseconds() < deadline else { throw Gate.Timeout() }
        await Task.yield()
    }
}
