import Telemetry

/// Lines that any thread appends.
final class Collected: Sendable {
    private let lines = Lock<[String]>([])

    /// The lines so far.
    var all: [String] { lines.withLock { $0 } }

    /// Adds a line.
    func append(_ line: String) { lines.withLock { $0.append(line) } }

    /// Removes all lines.
    func removeAll() { lines.withLock { $0 = [] } }
}
