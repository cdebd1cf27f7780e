/// A database whose writer tells what it commits.
protocol ObservedDatabase: DatabaseWriter {
    /// Tells observed values of commits.
    var observationHub: ObservationHub { get }
    /// Whether values are read beside the writer.
    var hasReaders: Bool { get }
    /// The gate of the connection that writes.
    var writingGate: AccessGate { get }
    /// Reads at once and on this thread, when a reader is free and nobody waits for one.
    ///
    /// - Returns: Whether it did.
    func readIfFree(at site: AccessSite, _ value: (Database) -> Void) -> Bool
}

extension ObservedDatabase {
    /// Whether somebody has the writer now, or may have left a transaction open.
    var mayBeWriting: Bool {
        writingGate.slots[0].isTaken || configuration.allowsUnsafeTransactions
    }

    /// Whether nothing was committed since a state was read; needs no connection.
    func isInLastCommittedState(_ state: CommittedState?) -> Bool {
        guard let state else { return false }
        return writingGate.slots[0].walIndex.map { state.isLast(in: $0.memory) } ?? false
    }

    /// Gives the writer later, to something that is nobody's access: `status()` shows no waiter.
    func whenWriterIsFree(_ body: @escaping @Sendable (Database) -> Void) {
        writingGate.performLater(AccessSite(AccessLabel("ValueObservation")), .maintenance) { _ in
            // Closed: nothing is committed any more.
        } _: { db in
            withExtendedLifetime(self) {
                db.endKeptTransaction()
                body(db)
            }
        }
    }
}

extension DatabaseQueue: ObservedDatabase {
    var hasReaders: Bool { false }
    var writingGate: AccessGate { gate }
    func readIfFree(at site: AccessSite, _ value: (Database) -> Void) -> Bool { false }
}

extension DatabasePool: ObservedDatabase {
    var hasReaders: Bool { true }
    var writingGate: AccessGate { writer }
}

extension DatabaseReader {
    /// The database whose commits can change what is read here; nil where nothing changes.
    var observedDatabase: (any ObservedDatabase)? {
        if let wrapper = self as? any DatabaseWrapper {
            return wrapper.wrappedReader.observedDatabase
        }
        return configuration.readonly ? nil : self as? any ObservedDatabase
    }
}

/// A reader that passes everything on to another one.
protocol DatabaseWrapper {
    var wrappedReader: any DatabaseReader { get }
}

extension AnyDatabaseReader: DatabaseWrapper {
    var wrappedReader: any DatabaseReader { base }
}

extension AnyDatabaseWriter: DatabaseWrapper {
    var wrappedReader: any DatabaseReader { base }
}
