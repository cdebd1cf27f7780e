/// An observer and the extent of its observation.
final class TransactionObservation {
    let extent: Database.TransactionObservationExtent

    /// Whether the observer is notified of changes.
    ///
    /// ``TransactionObserver/stopObservingDatabaseChangesUntilNextTransaction()`` sets it to false.
    var isEnabled = true

    /// Whether the observer may be notified of changes, and not only of transactions.
    let observesChanges: Bool

    private weak var weakObserver: (any TransactionObserver)?
    private var strongObserver: (any TransactionObserver)?

    init(_ observer: some TransactionObserver, extent: Database.TransactionObservationExtent) {
        self.extent = extent
        observesChanges = !(observer is TransactionEndObserver)
        if extent == .observerLifetime {
            weakObserver = observer
        } else {
            strongObserver = observer
        }
    }

    /// The observer; nil after it is deallocated.
    var observer: (any TransactionObserver)? { strongObserver ?? weakObserver }

    func observes(_ kind: DatabaseEventKind) -> Bool {
        observer?.observes(eventsOfKind: kind) ?? false
    }

    /// Returns the observer for the last callback of a transaction.
    ///
    /// If the observation ends with this transaction, this method releases the observer first, so
    /// it is not notified of what it does in the callback.
    func observerOfEnd() -> (any TransactionObserver)? {
        let observer = observer
        if extent == .nextTransaction { strongObserver = nil }
        return observer
    }
}

/// An observation of the changes that the running statement makes.
struct StatementObservation {
    let observation: TransactionObservation

    /// The observed kinds; nil if they cover every change that the statement can make.
    let kinds: (observed: [DatabaseEventKind], advertised: [DatabaseEventKind])?

    /// Returns whether the observer should be notified of an event.
    ///
    /// The observer should also be notified of events that the statement did not advertise, because
    /// a virtual table such as FTS4 changes its shadow tables.
    func concerns(_ event: DatabaseEvent) -> Bool {
        guard let kinds else { return true }
        return kinds.observed.contains { $0.matches(event) }
            || !kinds.advertised.contains { $0.matches(event) }
    }
}

/// The observer behind ``Database/afterNextTransaction(onCommit:onRollback:)``.
final class TransactionEndObserver: TransactionObserver {
    private let onCommit: @Sendable (Database) -> Void
    private let onRollback: @Sendable (Database) -> Void

    init(
        onCommit: @escaping @Sendable (Database) -> Void,
        onRollback: @escaping @Sendable (Database) -> Void
    ) {
        self.onCommit = onCommit
        self.onRollback = onRollback
    }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }
    func databaseDidChange(with event: DatabaseEvent) {}
    func databaseDidCommit(_ db: Database) { onCommit(db) }
    func databaseDidRollback(_ db: Database) { onRollback(db) }
}
