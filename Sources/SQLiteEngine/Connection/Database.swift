import CSQLite
import Foundation
import Synchronization

/// A pointer to the C structure `sqlite3`.
public typealias SQLiteConnection = OpaquePointer

/// One SQLite connection.
///
/// It is given to the closures of database accesses, and must not leave them: nothing but the
/// access keeps other threads away from it.
public final class Database {
    /// What changes while the connection is used.
    ///
    /// It lives behind a pointer: Swift checks each access to a class's `var` for exclusivity at
    /// run time, and these checks alone cost as much as a third of a point read.
    struct State {
        var connection: SQLiteConnection?
        /// Above zero, statements that write are refused: inside a queue's `read`, or
        /// ``Database/readOnly(_:)``.
        var readOnlyDepth = 0
        /// Whether a wrapping transaction of ours is open: an autocommit connection then means
        /// that SQLite rolled it back (an interrupt, `ON CONFLICT ROLLBACK`), and everything
        /// until its end throws `SQLITE_ABORT`.
        var isInsideTransactionBlock = false
        /// Set while the access belongs to a task, which may be cancelled.
        var cancellation: AccessCancellation?
        /// What statements and transactions have to look after, beyond SQLite.
        var attention: Attention = []
        /// The date of the open transaction, or what the clock threw.
        var transactionDate: Result<Date, any Error>?
        /// The savepoints of the open transaction.
        var savepoints = SavepointStack()
        /// Whether the open transaction has changed the schema.
        var hasChangedSchema = false
        /// What is known of the schema.
        var schemaCache = SchemaCache()
        /// Counts the changes of the schema that this process makes.
        var schemaGeneration: SchemaGeneration?
        /// The count itself; valid as long as `schemaGeneration` is kept.
        var generationCount: UnsafeMutablePointer<Atomic<UInt64>>?
        /// The count of when ``schemaCache`` and ``statementCache`` were empty.
        var knownGeneration: UInt64 = 0
        /// Whether the end of the open transaction empties them again; see
        /// ``Database/otherConnectionDidChangeSchema()``.
        var forgetsSchemaAfterTransaction = false
        /// Tells transaction observers; nil before the first one.
        var observationBroker: ObservationBroker?
        /// Learns what statements do; nil while nobody needs to know.
        var authorizer: StatementAuthorizer?
        /// What was read since somebody began to record it.
        var recordedRegion: DatabaseRegion?
        /// The handler of ``Database/trace(options:_:)``.
        var trace: ((TraceEvent) -> Void)?
        /// Whether the statements that run are the engine's own: no business of the handler's.
        var isTraceMuted = false
        /// Statements that ``Database/cachedStatement(sql:)`` keeps.
        var statementCache = StatementCache()
        /// Statements that `fetchOne`, `fetchAll` and `fetchSet` keep for their SQL: apart, since
        /// the arguments of those in ``statementCache`` are the user's.
        var fetchCache = StatementCache()
        /// BEGIN, COMMIT and ROLLBACK, prepared once.
        var transactionStatements = TransactionStatements()
        /// The slot that the connection lives in: it outlives the connection.
        var slot: Unmanaged<AccessSlot>?
        /// What the statements throw, where this stands in for a connection that is not there; see
        /// ``Database/standIn(for:label:_:)``.
        var standInError: DatabaseError?
        /// Whether the configuration's closures were told that the connection is open.
        var isAnnounced = false
        /// The wal-index, while the connection is in WAL mode.
        var walIndex: WALIndex?
        /// The file of the journal when the wal-index was last reviewed.
        var journalFile: UnsafeRawPointer?
        /// The journal mode, when a suspended connection had to know it.
        var journalModeCache: String?
    }

    /// What statements and transactions have to look after, beyond SQLite.
    struct Attention: OptionSet {
        let rawValue: UInt8
        /// There are transaction observers.
        static let observers = Attention(rawValue: 1)
        /// Somebody records what is read.
        static let recording = Attention(rawValue: 2)
        /// Something must be forgotten when the transaction ends.
        static let transaction = Attention(rawValue: 4)
        /// What matters before a statement runs.
        static let beforeStatement: Attention = [.observers, .recording]
    }

    /// The configuration of the connection.
    public let configuration: Configuration

    /// The connection's label, such as `DatabasePool.reader.1`.
    public let label: String

    /// Whether the file was opened for reading only.
    let isReadOnlyConnection: Bool

    /// What others may see of the connection while it works.
    let probe: ConnectionProbe

    /// The path that it was opened with.
    let path: String

    /// Whether locks are refused now.
    let suspension: Suspension

    /// See ``State``: the pointer is valid as long as the object.
    private let state: UnsafeMutablePointer<State>

    /// The read transaction that is kept from one access to the next; valid as `state` is.
    let kept: UnsafeMutablePointer<KeptReadTransaction>

    init(
        sqliteConnection: SQLiteConnection,
        path: String,
        configuration: Configuration,
        label: String,
        isReadOnly: Bool,
        probe: ConnectionProbe,
        suspension: Suspension
    ) {
        state = .allocate(capacity: 1)
        state.initialize(to: State(connection: sqliteConnection))
        kept = .allocate(capacity: 1)
        kept.initialize(to: KeptReadTransaction())
        self.path = path
        self.configuration = configuration
        self.label = label
        self.isReadOnlyConnection = isReadOnly
        self.probe = probe
        self.suspension = suspension
    }

    deinit {
        state.deinitialize(count: 1)
        state.deallocate()
        kept.deinitialize(count: 1)
        kept.deallocate()
    }

    /// The C connection, for what this library does not offer; nil once it is closed.
    ///
    /// It is valid during the access. A program may run anything on it: the engine keeps no read
    /// transaction of an access that asked for it, and finds out afterwards whether the journal
    /// mode is a different one.
    public var sqliteConnection: SQLiteConnection? {
        willExposeHandle()
        return handle
    }

    /// The C connection, for the engine's own calls.
    package var handle: SQLiteConnection? { state.pointee.connection }

    /// Called when the C connection was closed.
    func forgetConnection() {
        state.pointee.connection = nil
        state.pointee.walIndex = nil
        // Both outlive the mapping: the probe belongs to the slot, which may open another
        // connection.
        probe.walIndex = nil
        kept.pointee.walIndex = nil
    }

    /// The wal-index, while the connection is in WAL mode; its only owner beside
    /// ``AccessSlot/walIndex``, which other threads use.
    var walIndex: WALIndex? {
        get { state.pointee.walIndex }
        set { state.pointee.walIndex = newValue }
    }

    /// The file of the journal when the wal-index was last reviewed.
    var journalFile: UnsafeRawPointer? {
        get { state.pointee.journalFile }
        set { state.pointee.journalFile = newValue }
    }

    @inline(__always)
    var readOnlyDepth: Int {
        get { state.pointee.readOnlyDepth }
        set { state.pointee.readOnlyDepth = newValue }
    }

    @inline(__always)
    var isInsideTransactionBlock: Bool {
        get { state.pointee.isInsideTransactionBlock }
        set { state.pointee.isInsideTransactionBlock = newValue }
    }

    @inline(__always)
    var cancellation: AccessCancellation? {
        get { state.pointee.cancellation }
        set { state.pointee.cancellation = newValue }
    }

    @inline(__always)
    var attention: Attention {
        get { state.pointee.attention }
        set { state.pointee.attention = newValue }
    }

    /// Whether there are transaction observers.
    @inline(__always)
    var isObserved: Bool {
        get { state.pointee.attention.contains(.observers) }
        set { setAttention(.observers, newValue) }
    }

    /// The date of the open transaction, or what the clock threw; nil when nobody asked.
    var openTransactionDate: Result<Date, any Error>? {
        get { state.pointee.transactionDate }
        set { state.pointee.transactionDate = newValue }
    }

    /// The savepoints of the open transaction.
    var savepoints: SavepointStack {
        get { state.pointee.savepoints }
        _modify { yield &state.pointee.savepoints }
    }

    /// Whether the open transaction has changed the schema.
    var hasChangedSchema: Bool {
        get { state.pointee.hasChangedSchema }
        set { state.pointee.hasChangedSchema = newValue }
    }

    /// What is known of the schema.
    var schemaCache: SchemaCache {
        get { state.pointee.schemaCache }
        _modify { yield &state.pointee.schemaCache }
    }

    /// Counts the changes of the schema that this process makes.
    var schemaGeneration: SchemaGeneration? {
        get { state.pointee.schemaGeneration }
        set {
            state.pointee.schemaGeneration = newValue
            state.pointee.generationCount = newValue?.count
        }
    }

    /// Forgets what depends on the schema, when this process has changed it since.
    @inline(__always)
    func forgetOldSchema() {
        guard let count = state.pointee.generationCount else { return }
        if state.pointee.knownGeneration != count.pointee.load(ordering: .acquiring) {
            otherConnectionDidChangeSchema()
        }
    }

    /// Forgets what is known of the schema, and the statements that were prepared with it.
    ///
    /// SQLite prepares them again at their next step; until then, they report the old columns.
    @inline(never)
    func forgetSchema() {
        state.pointee.knownGeneration = schemaGeneration?.current ?? 0
        schemaCache = SchemaCache()
        removeCachedStatements()
    }

    /// Whether the schema is forgotten when the open transaction ends.
    var forgetsSchemaAfterTransaction: Bool {
        get { state.pointee.forgetsSchemaAfterTransaction }
        set { state.pointee.forgetsSchemaAfterTransaction = newValue }
    }

    /// Makes the next use of a cached statement forget the schema.
    func expireKnownSchema() {
        // The count begins at 1.
        state.pointee.knownGeneration = 0
    }

    /// Tells transaction observers; nil before the first one.
    var observationBroker: ObservationBroker? {
        get { state.pointee.observationBroker }
        set { state.pointee.observationBroker = newValue }
    }

    /// Learns what statements do; nil while nobody needs to know.
    var authorizer: StatementAuthorizer? {
        get { state.pointee.authorizer }
        set { state.pointee.authorizer = newValue }
    }

    /// What was read since somebody began to record it; nil when nobody does.
    var recordedRegion: DatabaseRegion? {
        get { state.pointee.recordedRegion }
        set {
            state.pointee.recordedRegion = newValue
            setAttention(.recording, newValue != nil)
        }
    }

    /// The handler of ``trace(options:_:)``.
    var traceHandler: ((TraceEvent) -> Void)? {
        get { state.pointee.trace }
        set { state.pointee.trace = newValue }
    }

    /// Whether the statements that run are the engine's own.
    var isTraceMuted: Bool {
        get { state.pointee.isTraceMuted }
        set { state.pointee.isTraceMuted = newValue }
    }

    private func setAttention(_ flag: Attention, _ isSet: Bool) {
        if isSet { attention.insert(flag) } else { attention.remove(flag) }
    }

    @inline(__always)
    var statementCache: StatementCache {
        get { state.pointee.statementCache }
        _modify { yield &state.pointee.statementCache }
    }

    @inline(__always)
    var fetchCache: StatementCache {
        get { state.pointee.fetchCache }
        _modify { yield &state.pointee.fetchCache }
    }

    /// Lets all cached statements go.
    func removeCachedStatements() {
        statementCache.removeAll()
        fetchCache.removeAll()
    }

    @inline(__always)
    var transactionStatements: TransactionStatements {
        get { state.pointee.transactionStatements }
        _modify { yield &state.pointee.transactionStatements }
    }

    /// The slot that the connection lives in.
    @inline(__always)
    var slot: Unmanaged<AccessSlot>? {
        get { state.pointee.slot }
        set { state.pointee.slot = newValue }
    }

    /// What all statements throw, where this stands in for a connection that is not there.
    var standInError: DatabaseError? {
        get { state.pointee.standInError }
        set { state.pointee.standInError = newValue }
    }

    /// Whether this stands in for a connection that is not there.
    var isStandIn: Bool { state.pointee.standInError != nil }

    /// Whether the configuration's closures were told that the connection is open.
    var isAnnounced: Bool {
        get { state.pointee.isAnnounced }
        set { state.pointee.isAnnounced = newValue }
    }

    /// The journal mode, when a suspended connection had to know it.
    var journalModeCache: String? {
        get { state.pointee.journalModeCache }
        set { state.pointee.journalModeCache = newValue }
    }

    /// Whether statements may not write now.
    var isReadOnly: Bool { isReadOnlyConnection || readOnlyDepth > 0 }

    /// Whether a transaction is open (`sqlite3_get_autocommit`).
    public var isInsideTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// The rowid of the last row that was inserted on this connection.
    public var lastInsertedRowID: Int64 { sqlite3_last_insert_rowid(handle) }

    /// The version of SQLite that runs, such as 3040001 for 3.40.1.
    public static var sqliteLibVersionNumber: CInt { sqlite3_libversion_number() }

    /// How many rows the last statement inserted, updated or deleted.
    public var changesCount: Int { Int(sqlite3_changes(handle)) }

    /// How many rows were inserted, updated or deleted since the connection was opened.
    public var totalChangesCount: Int { Int(sqlite3_total_changes(handle)) }

    /// The message of the last error on this connection, in English.
    var lastErrorMessage: String? {
        sqlite3_errmsg(handle).map { String(cString: $0) }
    }
}

@available(*, unavailable)
extension Database: Sendable {}

extension Database: CustomStringConvertible, CustomDebugStringConvertible {
    /// The connection's label.
    public var description: String { label }

    /// The connection's label, as that of a database.
    public var debugDescription: String { "<Database: \(label)>" }
}
