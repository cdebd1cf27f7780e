/// An observer of the changes and the transactions of a database connection.
///
/// The callbacks of a transaction come in this order: ``databaseDidChange(with:)`` for each row,
/// ``databaseWillCommit()``, then ``databaseDidCommit(_:)`` or ``databaseDidRollback(_:)``. All
/// callbacks run on the thread of the access that writes. Changes inside a savepoint are reported
/// when the savepoint is released, and never if it is rolled back.
///
/// SQLite does not report changes of `WITHOUT ROWID` tables and of internal tables, nor the rows
/// that `REPLACE` removes (https://sqlite.org/c3ref/update_hook.html). Transactions of read-only
/// connections are not reported.
public protocol TransactionObserver: AnyObject {
    /// Whether the observer should be notified of changes of a kind; called before each statement
    /// that may make such changes.
    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool

    /// Called when ``Database/notifyChanges(in:)`` reports a change.
    func databaseDidChange()

    /// Called when a row has changed; must not use the database.
    func databaseDidChange(with event: DatabaseEvent)

    /// Called when a transaction is about to be committed; must not use the database.
    ///
    /// - Throws: An error to roll the transaction back instead; the commit throws the same error.
    func databaseWillCommit() throws

    /// Called when a transaction has been committed; the database may be used.
    func databaseDidCommit(_ db: Database)

    /// Called when a transaction has been rolled back; the database may be used.
    func databaseDidRollback(_ db: Database)
}

extension TransactionObserver {
    /// Does nothing.
    public func databaseDidChange() {}

    /// Allows the transaction to commit.
    public func databaseWillCommit() throws {}

    /// Stops notifications of changes until the next transaction.
    ///
    /// Call this from ``databaseDidChange()`` or ``databaseDidChange(with:)``; anywhere else it is
    /// a fatal error.
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
        /// Until the observer is deallocated; the database does not retain it.
        case observerLifetime
        /// Until the end of the next transaction; the database retains the observer until then, and
        /// releases it before the last callback.
        case nextTransaction
        /// Until the connection closes; the database retains the observer.
        case databaseLifetime
    }
}
