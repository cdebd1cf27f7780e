/// An observer of a database connection's changes and transactions.
///
/// A transaction's callbacks run in this order: ``databaseDidChange(with:)`` for each row,
/// ``databaseWillCommit()``, then ``databaseDidCommit(_:)`` or ``databaseDidRollback(_:)``. All
/// callbacks run on the thread of the access that writes. Changes inside a savepoint are reported
/// when the savepoint is released. They are not reported if the savepoint is rolled back.
///
/// SQLite does not report changes to `WITHOUT ROWID` tables or internal tables, or the rows that
/// `REPLACE` removes (https://sqlite.org/c3ref/update_hook.html). Transactions of read-only
/// connections are not reported.
public protocol TransactionObserver: AnyObject {
    /// Returns whether the observer should be notified of changes of a kind. Called before each
    /// statement that may make such changes.
    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool

    /// Called when ``Database/notifyChanges(in:)`` reports a change.
    func databaseDidChange()

    /// Called when a row has changed. The observer must not use the database.
    func databaseDidChange(with event: DatabaseEvent)

    /// Called when a transaction is about to be committed. The observer must not use the database.
    ///
    /// - Throws: An error to roll back the transaction. The commit then throws the same error.
    func databaseWillCommit() throws

    /// Called when a transaction has been committed. The observer may use the database.
    func databaseDidCommit(_ db: Database)

    /// Called when a transaction has been rolled back. The observer may use the database.
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
    /// How long an observer is notified of transactions.
    public enum TransactionObservationExtent: Hashable, Sendable {
        /// Until the observer is deallocated. The database does not retain it.
        case observerLifetime
        /// Until the next transaction ends. The database retains the observer until then, and
        /// releases it before the last callback.
        case nextTransaction
        /// Until the connection closes. The database retains the observer.
        case databaseLifetime
    }
}
