/// The registration of an observer with a connection.
final class TransactionObservation {
    let extent: Database.TransactionObservationExtent

    /// Whether the observer receives changes.
    ///
    /// ``TransactionObserver/stopObservingDatabaseChangesUntilNextTransaction()`` sets this
    /// property to `false`.
    var isEnabled = true

    /// Whether the observer may receive individual changes in addition to transactions.
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

    /// The observer, or `nil` after its deallocation.
    var observer: (any TransactionObserver)? { strongObserver ?? weakObserver }

    func observes(_ kind: DatabaseEventKind) -> Bool {
        observer?.observes(eventsOfKind: kind) ?? false
    }

    /// Returns the observer for the last callback of a transaction.
    ///
    /// If the observation ends with this transaction, this method releases the observer first. The
    /// observer therefore receives none of the changes that its own callback makes.
    func observerOfEnd() -> (any TransactionObserver)? {
        let observer = observer
        if extent == .nextTransaction { strongObserver = nil }
        return observer
    }
}

/// An observation of the running statement's changes.
struct StatementObservation {
    let observation: TransactionObservation

    /// The observed kinds and all kinds that the authorizer reported, or `nil` if the observed
    /// kinds cover every change that the statement can make.
    let kinds: (observed: [DatabaseEventKind], possible: [DatabaseEventKind])?

    /// Returns whether to notify the observer of an event.
    ///
    /// The observer also receives events that the authorizer did not report, such as changes to the
    /// shadow tables of a virtual table.
    func concerns(_ event: DatabaseEvent) -> Bool {
        guard let kinds else { return true }
        return kinds.observed.contains { $0.matches(event) }
            || !kinds.possible.contains { $0.matches(event) }
    }
}

/// The observer that implements ``Database/afterNextTransaction(onCommit:onRollback:)``.
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
