import SQLiteEngine
import Telemetry
import Testing

/// Runs an operation, and records an issue if an access to the pool waits too long for a reader.
///
/// - Parameters:
///   - budget: The longest wait allowed.
///   - pool: The pool. Only the test may use it, because the pool reports the longest of all waits.
///   - sourceLocation: The source location to attribute the issue to.
///   - operation: The operation under test.
/// - Returns: The value that the operation returns.
/// - Throws: The error that the operation throws.
func expectingWaits<T>(
    upTo budget: Duration,
    in pool: DatabasePool,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ operation: () async throws -> T
) async rethrows -> T {
    // When an access that held its connection for longer than the budget ends, the pool reports the
    // access with its call site. Such an access, not the one that waited, is the cause.
    let events = pool.events(slowerThan: budget)
    let value = try await operation()
    guard let acquire = pool.status().acquire, acquire.max > budget.nanoseconds else {
        return value
    }
    let holders = await holders(in: events, longerThan: budget)
    Issue.record(
        """
        An access waited \(acquire.max / 1_000_000) ms for a reader; the budget is \(budget). \
        \(holders.isEmpty ? "No access held a reader for longer." : holders.joined(separator: " "))
        """,
        sourceLocation: sourceLocation
    )
    return value
}

/// Describes each access in `events` that held a connection longer than `budget`.
private func holders(
    in events: AsyncStream<ConnectionEvent>,
    longerThan budget: Duration
) async -> [String] {
    let longestHolds = Task {
        var longest: [String: UInt64] = [:]
        for await event in events {
            guard case .slowAccess(let origin, _, let held) = event.kind,
                held > budget.nanoseconds
            else { continue }
            longest[origin.name] = max(held, longest[origin.name] ?? 0)
        }
        return longest
    }
    // The stream already contains all events of the operation, but it does not end.
    try? await Task.sleep(for: .milliseconds(50))
    longestHolds.cancel()
    return await longestHolds.value.sorted { $0.value > $1.value }
        .map { "\($0.key) held a connection for \($0.value / 1_000_000) ms." }
}

extension Duration {
    fileprivate var nanoseconds: UInt64 {
        UInt64(components.seconds) * 1_000_000_000 + UInt64(components.attoseconds / 1_000_000_000)
    }
}
