import Synchronization
import Telemetry

/// An object that interrupts connections and counts the calls to `interrupt()`.
final class ConnectionInterrupter: Sendable {
    private let requested = Atomic<UInt64>(0)
    private let withoutEffect = Atomic<UInt64>(0)

    func interrupt(_ slots: [AccessSlot]) {
        requested.wrappingAdd(1, ordering: .relaxed)
        var wasRunning = false
        for slot in slots {
            guard let step = slot.interrupt() else { continue }
            wasRunning = true
            Self.repeatInterrupt(of: step, in: slot, after: EngineTimings.firstInterruptPause)
        }
        if !wasRunning { withoutEffect.wrappingAdd(1, ordering: .relaxed) }
        if let probe = slots.first?.probe {
            probe.events.emit(probe.label, .interruptRequested(metStatement: wasRunning))
        }
    }

    /// Interrupts a step again if it is still running.
    ///
    /// The probe reports a running statement shortly before SQLite starts the statement. SQLite
    /// discards an interrupt that arrives in between (https://sqlite.org/c3ref/interrupt.html, "no
    /// running statements").
    private static func repeatInterrupt(
        of step: UInt64,
        in slot: AccessSlot,
        after pause: UInt64
    ) {
        DelayedWork.run(after: .nanoseconds(pause)) {
            guard pause < EngineTimings.lastInterruptPause, slot.interrupt(step) != nil else {
                return
            }
            repeatInterrupt(of: step, in: slot, after: pause * 2)
        }
    }

    /// Interrupts the connection with the given label.
    ///
    /// - Returns: Whether `slots` contains the connection.
    func interrupt(_ slots: [AccessSlot], labeled label: String) -> Bool {
        guard let slot = slots.first(where: { $0.probe.label == label }) else { return false }
        interrupt([slot])
        return true
    }

    /// Returns the counts, given the number of statements that the connections reported as
    /// interrupted.
    func status(delivered: UInt64) -> InterruptStatus {
        InterruptStatus(
            requested: requested.load(ordering: .relaxed),
            delivered: delivered,
            withoutEffect: withoutEffect.load(ordering: .relaxed)
        )
    }
}
