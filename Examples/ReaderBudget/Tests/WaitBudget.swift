import SQLiteEngine
import Telemetry
import Testing

/// Runs an operation, and records an issue when an access to the pool waited too long for a reader.
///
/// - Parameters:
///   - budget: The longest wait that is fine.
///   - pool: The pool. It must be a test's own: its longest wait ever counts.
///   - sourceLocation: Where the issue is shown.
///   - operation: What the program does.
/// - Returns: What the operation returns.
/// - Throws: What the operation throws.
func expectingWaits<T>(
    upTo budget: Duration,
    in pool: DatabasePool,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ operation: () async throws -> T
) async rethrows -> T {
    // Accesses that take longer are told as they end, with the place of their call: the one to
    // look for held a reader, and is not the one that waited.
    let events = pool.events(slowerThan: budget)
    let value = try await operation()
    guard let acquire = pool.status().acquire, acquire.max > budget.nanoseconds else {
        return value
    }
    let holders = await holders(in: events, longerThan: budget)
    Issue.record(
        """
        An access waited \(acquire.max / 1_000_000) ms for a reader, and the budget is \(budget). \
        \(holders.isEmpty ? "No access held one for longer." : holders.joined(separator: " "))
        """,
        sourceLocation: sourceLocation
    )
    return value
}

/// The accesses in a stream that held a connection longer than a budget.
private func holders(
    in events: AsyncStream<ConnectionEvent>,
    longerThan budget: Duration
) async -> [String] {
    let found = Task {
        var longest: [String: UInt64] = [:]
        for await event in events {
            guard case .slowAccess(let origin, _, let held) = event.kind,
                held > budget.nanoseconds
            else { continue }
            longest[origin.name] = max(held, longest[origin.name] ?? 0)
        }
        return longest
    }
    // The operation is over: what happened is in the stream, which does not end by itself.
    try? await Task.sleep(for: .milliseconds(50))
    found.cancel()
    return await found.value.sorted { $0.value > $1.value }
        .map { "\($0.key) held one for \($0.value / 1_000_000) ms." }
}

extension Duration {
    fileprivate var nanoseconds: UInt64 {
        UInt64(components.seconds) * 1_000_000_000 + UInt64(components.attoseconds / 1_000_000_000)
    }
}
