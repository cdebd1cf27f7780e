import CSQLite
import Telemetry

/// A pool or a queue, which notifies observations of its writer's commits.
protocol ObservedDatabase: GatedDatabase {
    var observationHub: ObservationHub { get }
    var interrupts: ConnectionInterrupter { get }
    var suspension: Suspension { get }
    var label: String { get }
    var log: WALWatch { get }
    var journalMode: String? { get }
    /// Reads on this thread if a reader is free and no access is waiting for a reader.
    ///
    /// - Returns: Whether the read took place.
    func readIfFree(at site: AccessSite, _ body: (Database) -> Void) -> Bool
}

extension ObservedDatabase {
    var mayBeWriting: Bool {
        writer.slots[0].isTaken || configuration.allowsUnsafeTransactions
    }

    /// Returns, without using a connection, whether the given state is still the last committed
    /// state.
    func isInLastCommittedState(_ state: CommittedState?) -> Bool {
        guard let state else { return false }
        return writer.slots[0].walIndex.map { state.isLast(in: $0.memory) } ?? false
    }

    func status(
        kind: DatabaseKind,
        path: String?,
        snapshots: SnapshotRegistry?
    ) -> DatabaseStatus {
        var status = DatabaseStatus.of(
            label: label,
            kind: kind,
            path: path,
            writing: (writer, hasReaders ? .writer : .queue),
            reading: hasReaders ? (readers, .reader) : nil,
            snapshots: snapshots,
            interrupts: interrupts
        )
        status.journalMode = journalMode
        status.observations = observationHub.status
        if journalMode == "wal" {
            status.addWAL(
                log,
                writing: writer,
                reading: hasReaders ? readers : nil,
                snapshots: snapshots
            )
        }
        return status
    }

    /// Rejects new locks, interrupts the writer, and ends the read transactions that idle
    /// connections keep.
    ///
    /// In WAL mode, a pool's reads continue. Its readers acquire no lock for which other processes
    /// wait, and hold their locks only during an access. The writer of a read-only pool holds no
    /// such lock either.
    func suspend() {
        guard suspension.begin() else { return }
        readers.forbidKeeping()
        if !hasReaders || !configuration.readonly { interrupts.interrupt(writer.slots) }
    }

    func resume() {
        if suspension.end() { readers.allowKeeping() }
    }

    /// Schedules a closure on the writer connection.
    ///
    /// `status()` excludes this wait.
    func performWhenWriterIsFree(_ body: @escaping @Sendable (Database) -> Void) {
        writer.performLater(at: AccessSite(AccessLabel("ValueObservation")), intent: .maintenance) {
            _ in
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
    func readIfFree(at site: AccessSite, _ body: (Database) -> Void) -> Bool { false }
}

extension DatabasePool: ObservedDatabase {}

extension DatabaseReader {
    /// The database that can change this reader's results, or `nil` if the results never change.
    var observedDatabase: (any ObservedDatabase)? {
        if let wrapper = self as? ForwardingDatabaseReader { return wrapper.base.observedDatabase }
        return configuration.readonly ? nil : self as? any ObservedDatabase
    }
}

/// A committed state of a database in WAL mode, identified by the header of its wal-index.
///
/// The header changes with each commit by any process (https://sqlite.org/walformat.html, section
/// 2.1).
struct CommittedState {
    fileprivate var header = poolgauge_wal_header()

    fileprivate init() {}

    /// Reads the state from a wal-index, or returns `nil` if the wal-index is being changed.
    init?(of walIndex: UnsafeRawPointer) {
        guard poolgauge_wal_header_read(walIndex, &header) != 0 else { return nil }
    }

    /// Returns whether no transaction has committed since the state was read.
    func isLast(in walIndex: UnsafeRawPointer) -> Bool {
        poolgauge_wal_header_is(walIndex, header) != 0
    }
}

extension Database {
    /// The committed state that the open read transaction reads, or an earlier state.
    ///
    /// Read this property before the transaction's first statement. The value is `nil` if the state
    /// is unknown.
    var committedState: CommittedState? {
        var state = CommittedState()
        try? confirmReadState()
        if isInsideTransaction, kept.pointee.hasHeader {
            // Use the header that was read before the transaction started, possibly several
            // accesses ago.
            state.header = kept.pointee.header
            return state
        }
        // In autocommit mode, an unfinished statement may read an earlier state.
        guard sqlite3_txn_state(handle, "main") == SQLITE_TXN_NONE, let walIndex = probe.walIndex
        else { return nil }
        return CommittedState(of: walIndex)
    }

    func isInLastCommittedState(_ state: CommittedState?) -> Bool {
        guard let state, let walIndex = probe.walIndex else { return false }
        return state.isLast(in: walIndex)
    }

    /// Records the last committed state for a transaction that has started but has not read yet.
    ///
    /// The transaction will read this state or a later state. If the transaction has already read,
    /// this method has no effect.
    func recordStateBeforeTransaction() {
        guard sqlite3_txn_state(handle, "main") == SQLITE_TXN_NONE else { return }
        kept.pointee.willBegin()
    }
}
