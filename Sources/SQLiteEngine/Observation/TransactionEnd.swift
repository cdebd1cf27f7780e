/// The end of a transaction that observers are being notified of.
final class TransactionEnd {
    private var rest: ArraySlice<TransactionObservation>
    private let notify: (any TransactionObserver) -> Void

    init(
        _ observations: [TransactionObservation],
        _ notify: @escaping (any TransactionObserver) -> Void
    ) {
        rest = observations[...]
        self.notify = notify
    }

    /// Notifies the observers that have not been notified yet.
    func notifyRest() {
        while let next = rest.popFirst() {
            // Another transaction may start before all observers are notified.
            next.isEnabled = true
            if let observer = next.observerOfEnd() { notify(observer) }
        }
    }
}
