/// The notification of observers that a transaction has ended.
final class TransactionEnd {
    private var remaining: ArraySlice<TransactionObservation>
    private let notify: (any TransactionObserver) -> Void

    init(
        _ observations: [TransactionObservation],
        _ notify: @escaping (any TransactionObserver) -> Void
    ) {
        remaining = observations[...]
        self.notify = notify
    }

    func notifyRemainingObservers() {
        while let next = remaining.popFirst() {
            // An observer may start another transaction before all observers are notified.
            next.isEnabled = true
            if let observer = next.observerOfEnd() { notify(observer) }
        }
    }
}
