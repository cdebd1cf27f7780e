import CSQLite

extension Database {
    /// Adds an observer of the transactions of this connection.
    ///
    /// On a connection that only reads it does nothing: there is nothing to be told.
    ///
    /// - Parameters:
    ///   - transactionObserver: The observer.
    ///   - extent: For how long it is one; by default as long as somebody else keeps it.
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

    /// Removes an observer; does nothing when it is none.
    public func remove(transactionObserver: some TransactionObserver) {
        guard let observationBroker else { return }
        observationBroker.remove(transactionObserver)
        observedChangesDidChange()
    }

    /// Runs a closure when the current transaction ends, or else the next one.
    ///
    /// - Parameters:
    ///   - onCommit: Called after the commit; may use the database.
    ///   - onRollback: Called after a rollback; may use the database.
    /// - Precondition: Writing is possible: transactions that only read are not observed.
    public func afterNextTransaction(
        onCommit: @escaping @Sendable (Database) -> Void,
        onRollback: @escaping @Sendable (Database) -> Void = { _ in }
    ) {
        requirement(!isReadOnly, "Read-only transactions are not notified")
        add(
            transactionObserver: TransactionEndObserver(onCommit: onCommit, onRollback: onRollback),
            extent: .nextTransaction
        )
    }

    /// Tells observers of changes that SQLite does not see, such as those of another process.
    ///
    /// Those that observe changes of the region are called at
    /// ``TransactionObserver/databaseDidChange()``. Where writing is refused it does nothing.
    ///
    /// - Throws: A ``DatabaseError`` when the schema cannot be read.
    public func notifyChanges(in region: some DatabaseRegionConvertible) throws {
        guard !isReadOnly, let observationBroker, !observationBroker.isEmpty else { return }
        let region = try region.databaseRegion(self).canonicalTables(self)
        observationBroker.notifyChanges(of: try region.impactfulEventKinds(self))
    }

    /// Says that the current access depends on a region, for those who observe what it reads.
    ///
    /// - Parameter region: Evaluated only when somebody records what is read.
    /// - Throws: The error that the region throws.
    public func registerAccess(
        to region: @autoclosure () -> some DatabaseRegionConvertible
    ) throws {
        guard let recordedRegion else { return }
        let region = try region().databaseRegion(self)
        self.recordedRegion = recordedRegion.union(region)
    }

    /// Adds to `region` all that the statements which `body` runs read.
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

    /// Whether somebody records what is read.
    @usableFromInline var recordsSelection: Bool { recordedRegion != nil }

    /// Runs a statement that reads the row with a primary key, and records no more than that row
    /// where the key is the rowid.
    @usableFromInline
    func recordingRow<T>(
        _ key: DatabaseValue,
        of table: String,
        _ statement: Statement,
        _ body: () throws -> T
    ) throws -> T {
        let shape = try tableShape(table)
        guard let rowID = Int64.fromDatabaseValue(key), !shape.isView,
            shape.rowIDColumn != nil || shape.primaryKey == [Column.rowID.name]
        else { return try body() }
        let row = DatabaseRegion(
            table: try canonicalTableName(table) ?? table,
            rowIds: [rowID]
        )
        let result = try withoutRecording(body)
        recordedRegion = recordedRegion?.union(statement.databaseRegion.intersection(row))
        return result
    }

    /// Runs `body` as if nobody recorded what it reads.
    func withoutRecording<T>(_ body: () throws -> T) rethrows -> T {
        let outer = (recordedRegion, isTraceMuted)
        recordedRegion = nil
        isTraceMuted = true
        defer { (recordedRegion, isTraceMuted) = outer }
        return try body()
    }

    /// Runs observers' callbacks: outside any transaction block, and also when the access was
    /// cancelled, since the transaction has ended.
    func asObserver(_ body: () -> Void) {
        let outer = (isInsideTransactionBlock, cancellation)
        isInsideTransactionBlock = false
        cancellation = nil
        outer.1?.pause()
        defer {
            outer.1?.goOn()
            (isInsideTransactionBlock, cancellation) = outer
        }
        body()
    }

    /// Whether SQLite tells of each statement what it does, while it prepares it.
    var analyzesStatements: Bool { authorizer?.isInstalled == true }

    /// Runs `preparation`, and answers what SQLite said of the statement meanwhile.
    func noteOfPreparing(_ preparation: () -> Void) -> StatementAnalysis {
        let authorizer = authorizer ?? StatementAuthorizer(self)
        self.authorizer = authorizer
        if !authorizer.isInstalled { authorizer.install() }
        return authorizer.noting(preparation)
    }

    /// Called when deletions may be observed that were not, or the other way round.
    private func observedChangesDidChange() {
        let authorizer = authorizer ?? StatementAuthorizer(self)
        self.authorizer = authorizer
        authorizer.observersDidChange()
        guard authorizer.isInstalled else { return authorizer.install() }
        // These were prepared for deleting whole tables at once, or for not doing so. Making
        // them anew is cheaper than having SQLite prepare all statements anew.
        statementCache.removeAll { $0.mayDelete }
        fetchCache.removeAll { $0.mayDelete }
    }
}
