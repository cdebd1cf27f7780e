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
        let delay = DispatchTimeInterval.nanoseconds(Int(KeptTransaction.limit))
        queue.asyncAfter(deadline: .now() + delay) { [weak self, weak gate] in
            // First: a transaction that is kept from here on arms it anew.
            self?.isArmed.store(false, ordering: .sequentiallyConsistent)
            gate?.endKeptTransactions()
        }
    }
}
