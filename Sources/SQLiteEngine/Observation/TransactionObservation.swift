/// An observer, and for how long it is one.
final class TransactionObservation {
    let extent: Database.TransactionObservationExtent

    /// Whether it is told of changes; see
    /// ``TransactionObserver/stopObservingDatabaseChangesUntilNextTransaction()``.
    var isEnabled = true

    /// Whether it may be told of changes at all, and not only of transactions.
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

    /// Nil when it is gone.
    var observer: (any TransactionObserver)? { strongObserver ?? weakObserver }

    func observes(_ kind: DatabaseEventKind) -> Bool {
        observer?.observes(eventsOfKind: kind) ?? false
    }

    /// Gives the observer for its last callback of a transaction, and forgets it when the next
    /// transaction is none of its business: what it does in there must not be told to it.
    func observerOfEnd() -> (any TransactionObserver)? {
        let observer = observer
        if extent == .nextTransaction { strongObserver = nil }
        return observer
    }
}

/// An observation that wants to know what the running statement changes.
struct StatementObservation {
    let observation: TransactionObservation

    /// The kinds it observes; nil when these are all that the statement can bring.
    let kinds: (observed: [DatabaseEventKind], advertised: [DatabaseEventKind])?

    /// Whether the observer is to be told of an event.
    ///
    /// So it is of events that the statement did not advertise: a virtual table like FTS4 changes
    /// its shadow tables.
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
