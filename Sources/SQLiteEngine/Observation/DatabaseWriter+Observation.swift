extension DatabaseWriter {
    /// Adds an observer of the writer's transactions.
    ///
    /// - Parameters:
    ///   - transactionObserver: The observer.
    ///   - extent: The lifetime of the observation. Defaults to the observer's lifetime.
    public func add(
        transactionObserver: some TransactionObserver,
        extent: Database.TransactionObservationExtent = .observerLifetime
    ) {
        writeWithoutTransaction { db in
            db.add(transactionObserver: transactionObserver, extent: extent)
        }
    }

    /// Removes an observer, if it is registered.
    public func remove(transactionObserver: some TransactionObserver) {
        writeWithoutTransaction { db in db.remove(transactionObserver: transactionObserver) }
    }
}
