/// The end of a transaction, while observers are told of it.
final class TransactionEnd {
    private var rest: ArraySlice<TransactionObservation>
    private let tell: (any TransactionObserver) -> Void

    init(
        _ observations: [TransactionObservation],
        _ tell: @escaping (any TransactionObserver) -> Void
    ) {
        rest = observations[...]
        self.tell = tell
    }

    /// Tells those who have not heard of it.
    func tellRest() {
        while let next = rest.popFirst() {
            // Another transaction may begin before all were told.
            next.isEnabled = true
            if let observer = next.observerOfEnd() { tell(observer) }
        }
    }
}
