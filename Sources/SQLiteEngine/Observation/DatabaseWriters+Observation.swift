extension DatabasePool {
    /// Adds an observer of the transactions of the pool's writer.
    ///
    /// - Parameters:
    ///   - transactionObserver: The observer.
    ///   - extent: For how long it is one; by default as long as somebody else keeps it.
    public func add(
        transactionObserver: some TransactionObserver,
        extent: Database.TransactionObservationExtent = .observerLifetime
    ) {
        // A pool that was closed has nothing to tell.
        try? writeWithoutTransaction { db in
            db.add(transactionObserver: transactionObserver, extent: extent)
        }
    }

    /// Removes an observer; does nothing when it is none.
    public func remove(transactionObserver: some TransactionObserver) {
        try? writeWithoutTransaction { db in db.remove(transactionObserver: transactionObserver) }
    }
}

extension DatabaseQueue {
    /// Adds an observer of the queue's transactions.
    ///
    /// - Parameters:
    ///   - transactionObserver: The observer.
    ///   - extent: For how long it is one; by default as long as somebody else keeps it.
    public func add(
        transactionObserver: some TransactionObserver,
        extent: Database.TransactionObservationExtent = .observerLifetime
    ) {
        // A queue that was closed has nothing to tell.
        try? writeWithoutTransaction { db in
            db.add(transactionObserver: transactionObserver, extent: extent)
        }
    }

    /// Removes an observer; does nothing when it is none.
    public func remove(transactionObserver: some TransactionObserver) {
        try? writeWithoutTransaction { db in db.remove(transactionObserver: transactionObserver) }
    }
}
