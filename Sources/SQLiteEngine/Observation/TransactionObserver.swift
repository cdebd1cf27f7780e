/// Is told of the changes and the transactions of a database connection.
///
/// Transactions come in this order: ``databaseDidChange(with:)`` for each row,
/// ``databaseWillCommit()``, then ``databaseDidCommit(_:)`` or ``databaseDidRollback(_:)``. All
/// callbacks run on the thread of the access that writes. Changes inside a savepoint are told
/// when it is released, and never when it is rolled back.
///
/// SQLite tells no changes of `WITHOUT ROWID` tables, nor of internal ones, nor the rows that
/// `REPLACE` removes (https://sqlite.org/c3ref/update_hook.html). Transactions of connections
/// that only read are not told.
public protocol TransactionObserver: AnyObject {
    /// Whether the observer wants to be told of the changes of a kind; asked before each statement
    /// that may bring such changes.
    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool

    /// Called when something changed that only ``Database/notifyChanges(in:)`` knows of.
    func databaseDidChange()

    /// Called when a row has changed; must not use the database.
    func databaseDidChange(with event: DatabaseEvent)

    /// Called when a transaction is about to be committed; must not use the database.
    ///
    /// - Throws: To have it rolled back instead; the commit throws the same error.
    func databaseWillCommit() throws

    /// Called when a transaction has been committed; the database may be used.
    func databaseDidCommit(_ db: Database)

    /// Called when a transaction has been rolled back; the database may be used.
    func databaseDidRollback(_ db: Database)
}

extension TransactionObserver {
    /// Does nothing.
    public func databaseDidChange() {}

    /// Lets the transaction commit.
    public func databaseWillCommit() throws {}

    /// Asks to be told of no more changes until the next transaction.
    ///
    /// To be called from ``databaseDidChange()`` or ``databaseDidChange(with:)``; anywhere else it
    /// is a fatal error.
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
    /// For how long an observer is told of transactions.
    public enum TransactionObservationExtent: Hashable, Sendable {
        /// Until the observer is gone; the database does not keep it.
        case observerLifetime
        /// Until the end of the next transaction; the database keeps the observer until then, and
        /// lets it go before it calls it for the last time.
        case nextTransaction
        /// Until the connection closes; the database keeps the observer.
        case databaseLifetime
    }
}
