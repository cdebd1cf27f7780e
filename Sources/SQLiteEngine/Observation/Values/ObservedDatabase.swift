/// A database whose writer notifies observations of its commits.
protocol ObservedDatabase: DatabaseWriter {
    /// Notifies observed values of commits.
    var observationHub: ObservationHub { get }
    /// Whether values are read on connections other than the writer.
    var hasReaders: Bool { get }
    /// The gate of the connection that writes.
    var writingGate: AccessGate { get }
    /// Reads immediately on this thread if a reader is free and no access is waiting for a reader.
    ///
    /// - Returns: Whether the read took place.
    func readIfFree(at site: AccessSite, _ value: (Database) -> Void) -> Bool
}

extension ObservedDatabase {
    /// Whether an access currently holds the writer, or may have left a transaction open.
    var mayBeWriting: Bool {
        writingGate.slots[0].isTaken || configuration.allowsUnsafeTransactions
    }

    /// Returns whether no transaction has been committed since the state was read.
    ///
    /// This method does not use a connection.
    func isInLastCommittedState(_ state: CommittedState?) -> Bool {
        guard let state else { return false }
        return writingGate.slots[0].walIndex.map { state.isLast(in: $0.memory) } ?? false
    }

    /// Schedules a closure on the writer connection, for internal use.
    ///
    /// `status()` does not show this wait.
    func whenWriterIsFree(_ body: @escaping @Sendable (Database) -> Void) {
        writingGate.performLater(AccessSite(AccessLabel("ValueObservation")), .maintenance) { _ in
            // The database is closed, so no more commits occur.
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
    /// The database whose commits can change the results of this reader, or `nil` if the results
    /// never change.
    var observedDatabase: (any ObservedDatabase)? {
        if let wrapper = self as? any DatabaseWrapper {
            return wrapper.wrappedReader.observedDatabase
        }
        return configuration.readonly ? nil : self as? any ObservedDatabase
    }
}

/// A reader that forwards all calls to another reader.
protocol DatabaseWrapper {
    var wrappedReader: any DatabaseReader { get }
}

extension AnyDatabaseReader: DatabaseWrapper {
    var wrappedReader: any DatabaseReader { base }
}

extension AnyDatabaseWriter: DatabaseWrapper {
    var wrappedReader: any DatabaseReader { base }
}
