/// A database that notifies observations of its writer's commits.
protocol ObservedDatabase: DatabaseWriter {
    var observationHub: ObservationHub { get }
    var hasReaders: Bool { get }
    /// The gate of the writer connection.
    var writingGate: AccessGate { get }
    /// Reads on this thread if a reader is free and no access is waiting for a reader.
    ///
    /// - Returns: Whether the read took place.
    func readIfFree(at site: AccessSite, _ value: (Database) -> Void) -> Bool
}

extension ObservedDatabase {
    var mayBeWriting: Bool {
        writingGate.slots[0].isTaken || configuration.allowsUnsafeTransactions
    }

    /// Returns whether no transaction has committed since the state was read, without a connection.
    func isInLastCommittedState(_ state: CommittedState?) -> Bool {
        guard let state else { return false }
        return writingGate.slots[0].walIndex.map { state.isLast(in: $0.memory) } ?? false
    }

    /// Schedules a closure on the writer connection.
    ///
    /// `status()` excludes this wait.
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
    /// The database that can change this reader's results, or `nil` if the results never change.
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
