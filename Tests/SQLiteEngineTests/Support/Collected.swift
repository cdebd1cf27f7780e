import Telemetry

/// Lines that come from anywhere.
final class Collected: Sendable {
    private let lines = Lock<[String]>([])

    /// The lines so far.
    var all: [String] { lines.withLock { $0 } }

    /// Adds a line.
    func append(_ line: String) { lines.withLock { $0.append(line) } }

    /// Forgets all lines.
    func removeAll() { lines.withLock { $0 = [] } }
}
