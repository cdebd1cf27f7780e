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

    func note(_ message: String, severity: TelemetryEvent.Severity = .info) {
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

/// An object that tracks interrupts that users and clients send to one connection or to all
/// connections.
///
/// These interrupts do not target a specific access. Each can end any access that is running when
/// the interrupt is sent.
final class InterruptRequests: Sendable {
    private struct State: Sendable {
        var sendingCount = 0
        var lastSentAt: UInt64?
    }

    private let clock: any RunClock
    private let state = Lock(State())

    init(clock: any RunClock) { self.clock = clock }

    func send<T>(_ interrupt: () -> T) -> T {
        state.withLock { $0.sendingCount += 1 }
        defer {
            let now = clock.now()
            state.withLock { state in
                state.sendingCount -= 1
                state.lastSentAt = now
            }
        }
        return interrupt()
    }

    /// Returns whether an interrupt may have ended an access that started at `start`.
    func mayAffectAccess(since start: UInt64) -> Bool {
        state.withLock { state in
            state.sendingCount > 0 || state.lastSentAt.map { $0 >= start } ?? false
        }
    }
}
