import CSQLite

extension Database {
    /// Adds an observer of this connection's transactions.
    ///
    /// This method has no effect on a read-only connection, which has no transactions to observe.
    ///
    /// - Parameters:
    ///   - transactionObserver: The observer.
    ///   - extent: The lifetime of the observation. Defaults to the observer's lifetime.
    public func add(
        transactionObserver: some TransactionObserver,
        extent: TransactionObservationExtent = .observerLifetime
    ) {
        guard !isReadOnlyConnection else { return }
        let broker = observationBroker ?? ObservationBroker(self)
        observationBroker = broker
        broker.add(transactionObserver, extent: extent)
        guard !(transactionObserver is TransactionEndObserver) else { return }
        observedChangesDidChange()
    }

    /// Removes an observer, if it is registered.
    public func remove(transactionObserver: some TransactionObserver) {
        guard let observationBroker else { return }
        observationBroker.remove(transactionObserver)
        observedChangesDidChange()
    }

    /// Runs a closure when the current transaction ends, or, if no transaction is open, when the
    /// next transaction ends.
    ///
    /// Both closures may use the database.
    ///
    /// - Parameters:
    ///   - onCommit: A closure to call after a commit.
    ///   - onRollback: A closure to call after a rollback.
    /// - Precondition: The connection accepts writes. Observers do not receive read-only
    ///   transactions.
    public func afterNextTransaction(
        onCommit: @escaping @Sendable (Database) -> Void,
        onRollback: @escaping @Sendable (Database) -> Void = { _ in }
    ) {
        requirement(!isReadOnly, "Observers are not notified of read-only transactions.")
        add(
            transactionObserver: TransactionEndObserver(onCommit: onCommit, onRollback: onRollback),
            extent: .nextTransaction
        )
    }

    /// Notifies observers of changes that SQLite does not report, such as changes by another
    /// process.
    ///
    /// This method calls ``TransactionObserver/databaseDidChange()`` on the observers of changes in
    /// the region. It has no effect while the connection is read-only.
    ///
    /// - Throws: A ``DatabaseError`` if the schema cannot be read.
    public func notifyChanges(in region: some DatabaseRegionConvertible) throws {
        guard !isReadOnly, let observationBroker, !observationBroker.isEmpty else { return }
        let region = try region.databaseRegion(self).canonicalTables(self)
        observationBroker.notifyChanges(of: try region.modifyingEventKinds(self))
    }

    /// Declares that the current access depends on a region.
    ///
    /// Observations that record an access's reads add this region to their record.
    ///
    /// - Parameter region: The region. The expression is evaluated only while an observation
    ///   records the access's reads.
    /// - Throws: The error that `region` throws.
    public func registerAccess(
        to region: @autoclosure () -> some DatabaseRegionConvertible
    ) throws {
        guard let recordedRegion else { return }
        let region = try region().databaseRegion(self)
        self.recordedRegion = recordedRegion.union(region)
    }

    /// Runs `body` and adds the regions that its statements read to `region`.
    func recordingSelection<T>(
        _ region: inout DatabaseRegion,
        _ body: () throws -> T
    ) rethrows -> T {
        if region.isFullDatabase { return try body() }
        let outer = recordedRegion
        recordedRegion = DatabaseRegion()
        defer {
            let recorded = recordedRegion ?? DatabaseRegion()
            region.formUnion(recorded)
            recordedRegion = outer?.union(recorded)
        }
        return try body()
    }

    @usableFromInline var recordsSelection: Bool { recordedRegion != nil }

    /// Runs a statement that reads the row with the given primary key.
    ///
    /// If the key is the rowid, this method records only that row.
    @usableFromInline
    func recordingRow<T>(
        _ key: DatabaseValue,
        of table: String,
        statement: Statement,
        _ body: () throws -> T
    ) throws -> T {
        let shape = try tableShape(table)
        guard let rowID = Int64.fromDatabaseValue(key), !shape.isView,
            shape.rowIDColumn != nil || shape.primaryKey == [Column.rowID.name]
        else { return try body() }
        let row = DatabaseRegion(table: try canonicalTableName(table) ?? table, rowIds: [rowID])
        let result = try withoutRecording(body)
        recordedRegion = recordedRegion?.union(statement.databaseRegion.intersection(row))
        return result
    }

    func withoutRecording<T>(_ body: () throws -> T) rethrows -> T {
        let outer = (recordedRegion, isTraceMuted)
        recordedRegion = nil
        isTraceMuted = true
        defer { (recordedRegion, isTraceMuted) = outer }
        return try body()
    }

    /// Runs observer callbacks outside any transaction block.
    ///
    /// The callbacks run even if the access was canceled, because the transaction has ended.
    func runObserverCallbacks(_ body: () -> Void) {
        let outer = (isInsideTransactionBlock, cancellation)
        isInsideTransactionBlock = false
        cancellation = nil
        outer.1?.pause()
        defer {
            outer.1?.resume()
            (isInsideTransactionBlock, cancellation) = outer
        }
        body()
    }

    /// Whether the installed authorizer analyzes each statement that SQLite prepares.
    var analyzesStatements: Bool { authorizer?.isInstalled == true }

    func analysis(whilePreparing preparation: () -> Void) -> StatementAnalysis {
        let authorizer = authorizer ?? StatementAuthorizer(self)
        self.authorizer = authorizer
        if !authorizer.isInstalled { authorizer.install() }
        return authorizer.analysis(whilePreparing: preparation)
    }

    /// Makes SQLite delete rows individually if an observer observes their deletion.
    private func observedChangesDidChange() {
        let authorizer = authorizer ?? StatementAuthorizer(self)
        self.authorizer = authorizer
        authorizer.observersDidChange()
        guard authorizer.isInstalled else { return authorizer.install() }
        // The previous set of observers determined whether these cached statements delete rows
        // individually or in one step. Removing the statements costs less than making SQLite
        // reprepare every statement.
        statementCache.removeAll { $0.mayDelete }
        fetchCache.removeAll { $0.mayDelete }
    }
}
