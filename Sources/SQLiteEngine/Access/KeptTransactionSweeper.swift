import Dispatch
import Synchronization

/// Ends the read transactions that idle readers keep, when no access comes to do it.
///
/// It sleeps while none is kept: an application that reads now and then never wakes it.
final class KeptTransactionSweeper: Sendable {
    private let queue = DispatchQueue(label: "SQLiteEngine.sweeper", qos: .utility)
    private let isArmed = Atomic<Bool>(false)

    /// Makes sure that kept transactions are looked at soon; called when one was kept.
    @inline(__always)
    func arm(for gate: AccessGate) {
        if !isArmed.load(ordering: .relaxed) { armSlowly(for: gate) }
    }

    @inline(never)
    private func armSlowly(for gate: AccessGate) {
        guard !isArmed.exchange(true, ordering: .acquiringAndReleasing) else { return }
        sweep(gate, after: KeptTransaction.limit)
    }

    /// The longest time between two looks at a connection that somebody holds, in nanoseconds.
    private static let longestDelay: UInt64 = 20_000_000

    private func sweep(_ gate: AccessGate, after delay: UInt64) {
        queue.asyncAfter(deadline: .now() + .nanoseconds(Int(delay))) { [weak self, weak gate] in
            guard let self, let gate else { return }
            // First: a transaction that is kept from here on arms it anew.
            isArmed.store(false, ordering: .sequentiallyConsistent)
            if gate.endKeptTransactions() { return }
            // An access that has the connection arms it anew at its end. Who has taken it for a
            // moment only, to hand it over or for an access that was cancelled, does not. So it
            // looks again, unless it was armed meanwhile.
            guard !isArmed.exchange(true, ordering: .acquiringAndReleasing) else { return }
            sweep(gate, after: min(2 * delay, Self.longestDelay))
        }
    }
}
