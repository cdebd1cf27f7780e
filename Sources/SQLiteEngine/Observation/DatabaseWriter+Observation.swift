extension DatabaseWriter {
    /// Adds an observer of the transactions of the database's writer.
    ///
    /// - Parameters:
    ///   - transactionObserver: The observer.
    ///   - extent: For how long it is one; by default as long as somebody else keeps it.
    public func add(
        transactionObserver: some TransactionObserver,
        extent: Database.TransactionObservationExtent = .observerLifetime
    ) {
        writeWithoutTransaction { db in
            db.add(transactionObserver: transactionObserver, extent: extent)
        }
    }

    /// Removes an observer; does nothing when it is none.
    public func remove(transactionObserver: some TransactionObserver) {
        writeWithoutTransaction { db in db.remove(transactionObserver: transactionObserver) }
    }
}
