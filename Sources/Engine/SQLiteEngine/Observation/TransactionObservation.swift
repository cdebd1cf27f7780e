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

/// An observer of a database connection's changes and transactions.
///
/// During each transaction, the connection calls ``databaseDidChange(with:)`` for each changed row,
/// ``databaseWillCommit()`` before the commit, and ``databaseDidCommit(_:)`` or
/// ``databaseDidRollback(_:)`` at the end. All callbacks run on the thread of the access that
/// writes. The observer receives changes inside a savepoint when the savepoint is released, and
/// never receives them if the savepoint is rolled back.
///
/// SQLite does not report changes to `WITHOUT ROWID` tables or internal tables, or the rows that
/// `REPLACE` removes (https://sqlite.org/c3ref/update_hook.html). Observers do not receive
/// transactions of read-only connections.
public protocol TransactionObserver: AnyObject {
    /// Returns whether the observer should be notified of changes of a kind.
    ///
    /// The connection calls this method before each statement that may make changes of that kind.
    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool

    /// Called when ``Database/notifyChanges(in:)`` reports a change.
    func databaseDidChange()

    /// Called when a row has changed. The observer must not use the database.
    func databaseDidChange(with event: DatabaseEvent)

    /// Called before a transaction commits. The observer must not use the database.
    ///
    /// - Throws: An error to roll back the transaction. The commit then throws the same error.
    func databaseWillCommit() throws

    /// Called after a transaction has committed. The observer may use the database.
    func databaseDidCommit(_ db: Database)

    /// Called after a transaction has rolled back. The observer may use the database.
    func databaseDidRollback(_ db: Database)
}

extension TransactionObserver {
    /// Does nothing.
    public func databaseDidChange() {}

    /// Allows the transaction to commit.
    public func databaseWillCommit() throws {}

    /// Stops notifications of changes until the next transaction.
    ///
    /// Call this method from ``databaseDidChange()`` or ``databaseDidChange(with:)``. Calling it
    /// anywhere else is a fatal error.
    public func stopObservingDatabaseChangesUntilNextTransaction() {
        guard let broker = ThreadState.current.pointee.broker?.takeUnretainedValue() else {
            fatalError(
                """
                stopObservingDatabaseChangesUntilNextTransaction must be called from the \
                `databaseDidChange()` or `databaseDidChange(with:)` methods
                """
            )
        }
        broker.disableUntilNextTransaction(self)
    }
}

extension Database {
    /// The period during which an observer is notified of transactions.
    public enum TransactionObservationExtent: Hashable, Sendable {
        /// Until the observer is deallocated. The database does not retain the observer.
        case observerLifetime
        /// Until the next transaction ends. The database retains the observer until then, and
        /// releases the observer before the last callback.
        case nextTransaction
        /// Until the connection closes. The database retains the observer.
        case databaseLifetime
    }
}
