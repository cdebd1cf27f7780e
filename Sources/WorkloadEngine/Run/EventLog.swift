import Telemetry

/// The events recorded since the last sample.
///
/// Any thread can record events. Only the sampler removes them.
final class EventLog: Sendable {
    private let pending = Lock<[Note]>([])

    /// An event without a time.
    ///
    /// The sampler adds the time.
    struct Note: Sendable {
        var severity: TelemetryEvent.Severity
        var message: String
    }

    /// The maximum number of pending events, which limits memory use.
    private static let maximumPendingCount = 100

    func note(_ message: String, _ severity: TelemetryEvent.Severity = .info) {
        pending.withLock { pending in
            if pending.count < Self.maximumPendingCount {
                pending.append(Note(severity: severity, message: message))
            }
        }
    }

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
