import Telemetry

/// A list that any thread can append lines to.
final class CollectedLines: Sendable {
    private let lines = Lock<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    func append(_ line: String) { lines.withLock { $0.append(line) } }

    func removeAll() { lines.withLock { $0 = [] } }
}
