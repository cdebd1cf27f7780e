import Telemetry

/// What happened since the last sample: any thread notes, the sampler takes.
final class EventLog: Sendable {
    private let pending = Lock<[Note]>([])

    /// An event without its time, which the sampler knows.
    struct Note: Sendable {
        var severity: TelemetryEvent.Severity
        var message: String
    }

    /// The most events that wait for a sample: a flood must not eat the memory.
    private static let limit = 100

    /// Notes that something happened.
    func note(_ message: String, _ severity: TelemetryEvent.Severity = .info) {
        pending.withLock { pending in
            if pending.count < Self.limit {
                pending.append(Note(severity: severity, message: message))
            }
        }
    }

    /// Takes what was noted.
    func take(at time: Double) -> [TelemetryEvent] {
        let notes = pending.withLock { pending in
            let notes = pending
            pending.removeAll(keepingCapacity: true)
            return notes
        }
        return notes.map {
            TelemetryEvent(time: time, severity: $0.severity, message: $0.message)
        }
    }
}
