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
