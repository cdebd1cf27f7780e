import CSQLite
import Foundation
import Synchronization

/// A pointer to the C structure `sqlite3`.
public typealias SQLiteConnection = OpaquePointer

/// One SQLite connection.
///
/// A database access passes a connection to its closure. The closure must not store the connection,
/// because only the access prevents other threads from using the connection.
public final class Database {
    /// The mutable state of the connection.
    ///
    /// The state is behind a pointer because Swift checks each access to a class's `var` for
    /// exclusivity at run time. These checks alone take up to a third of the time of a point read.
    struct State {
        var connection: SQLiteConnection?
        /// The number of enclosing scopes that refuse writes: a queue's `read` and
        /// ``Database/readOnly(_:)``.
        var readOnlyDepth = 0
        /// Whether an enclosing transaction of the engine is open.
        ///
        /// If the connection is nevertheless in autocommit mode, SQLite has rolled the transaction
        /// back, for example because of an interrupt or `ON CONFLICT ROLLBACK`. All statements then
        /// throw `SQLITE_ABORT` until the block ends.
        var isInsideTransactionBlock = false
        /// The cancellation of the access, or `nil` if the access does not belong to a task.
        var cancellation: AccessCancellation?
        var attention: Attention = []
        /// The date of the open transaction, or the error that the clock threw.
        var transactionDate: Result<Date, any Error>?
        var savepoints = SavepointStack()
        var hasChangedSchema = false
        var schemaCache = SchemaCache()
        /// The counter of schema changes that this process makes.
        var schemaGeneration: SchemaGeneration?
        /// The count of `schemaGeneration`, which is valid while that object is retained.
        var generationCount: UnsafeMutablePointer<Atomic<UInt64>>?
        /// The count when ``schemaCache`` and ``statementCache`` were last empty.
        var knownGeneration: UInt64 = 0
        /// Whether the schema and statement caches are cleared again when the transaction ends.
        ///
        /// See ``Database/otherConnectionDidChangeSchema()``.
        var discardsSchemaAfterTransaction = false
        var observationBroker: ObservationBroker?
        var authorizer: StatementAuthorizer?
        /// The region that was read since recording started, or `nil` if nothing is being recorded.
        var recordedRegion: DatabaseRegion?
        /// The handler of ``Database/trace(options:_:)``.
        var trace: ((TraceEvent) -> Void)?
        /// Whether the running statements belong to the engine and are not traced.
        var isTraceMuted = false
        /// The statements that ``Database/cachedStatement(sql:)`` keeps.
        var statementCache = StatementCache()
        /// The statements that `fetchOne`, `fetchAll`, and `fetchSet` keep for their SQL.
        ///
        /// This cache is separate because the user sets the arguments of the statements in
        /// ``statementCache``.
        var fetchCache = StatementCache()
        /// The `BEGIN`, `COMMIT`, and `ROLLBACK` statements, which are reused.
        var transactionStatements = TransactionStatements()
        /// The slot that contains the connection and outlives it.
        var slot: Unmanaged<AccessSlot>?
        /// The error that every statement throws, if this is a stand-in for a missing connection.
        ///
        /// See ``Database/standIn(for:label:_:)``.
        var standInError: DatabaseError?
        /// Whether the configuration was notified that the connection is open.
        var isAnnounced = false
        var walIndex: WALIndex?
        /// The journal file at the last review of the wal-index.
        var journalFile: UnsafeRawPointer?
        /// The journal mode, if a suspended connection has read it.
        var journalModeCache: String?
    }

    /// The additional work that statements and transactions require.
    struct Attention: OptionSet {
        let rawValue: UInt8
        /// The connection has transaction observers.
        static let observers = Attention(rawValue: 1)
        /// The regions that statements read are being recorded.
        static let recording = Attention(rawValue: 2)
        /// The end of the transaction must clear some state.
        static let transaction = Attention(rawValue: 4)
        /// The flags that are relevant before a statement runs.
        static let beforeStatement: Attention = [.observers, .recording]
    }

    /// The configuration of the connection.
    public let configuration: Configuration

    /// The label of the connection, such as `SQLiteEngine.DatabasePool.reader.1`.
    public let label: String

    /// Whether the file was opened read-only.
    let isReadOnlyConnection: Bool

    /// The measurements of the connection, which other threads can read.
    let probe: ConnectionProbe

    let path: String

    let suspension: Suspension

    /// A pointer to the ``State``, which is valid as long as this object exists.
    private let state: UnsafeMutablePointer<State>

    /// The read transaction that is kept between accesses, which is valid as long as `state`.
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

    /// The C connection, for features that this library does not provide, or `nil` after closing.
    ///
    /// The pointer is valid during the access, and a program can use it without restriction. After
    /// an access that used this property, the engine ends the read transaction and checks whether
    /// the journal mode has changed.
    public var sqliteConnection: SQLiteConnection? {
        willExposeHandle()
        return handle
    }

    package var handle: SQLiteConnection? { state.pointee.connection }

    func clearConnection() {
        state.pointee.connection = nil
        state.pointee.walIndex = nil
        // The probe and the kept transaction outlive the mapping. The probe belongs to the slot,
        // which can open another connection.
        probe.walIndex = nil
        kept.pointee.walIndex = nil
    }

    /// The wal-index, or `nil` if the connection is not in WAL mode.
    ///
    /// Only this property and ``AccessSlot/walIndex``, which other threads use, retain the object.
    var walIndex: WALIndex? {
        get { state.pointee.walIndex }
        set { state.pointee.walIndex = newValue }
    }

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

    @inline(__always)
    var isObserved: Bool {
        get { state.pointee.attention.contains(.observers) }
        set { setAttention(.observers, newValue) }
    }

    var openTransactionDate: Result<Date, any Error>? {
        get { state.pointee.transactionDate }
        set { state.pointee.transactionDate = newValue }
    }

    var savepoints: SavepointStack {
        get { state.pointee.savepoints }
        _modify { yield &state.pointee.savepoints }
    }

    var hasChangedSchema: Bool {
        get { state.pointee.hasChangedSchema }
        set { state.pointee.hasChangedSchema = newValue }
    }

    var schemaCache: SchemaCache {
        get { state.pointee.schemaCache }
        _modify { yield &state.pointee.schemaCache }
    }

    var schemaGeneration: SchemaGeneration? {
        get { state.pointee.schemaGeneration }
        set {
            state.pointee.schemaGeneration = newValue
            state.pointee.generationCount = newValue?.count
        }
    }

    /// Clears the state that depends on the schema if this process has since changed the schema.
    @inline(__always)
    func discardOutdatedSchema() {
        guard let count = state.pointee.generationCount else { return }
        if state.pointee.knownGeneration != count.pointee.load(ordering: .acquiring) {
            otherConnectionDidChangeSchema()
        }
    }

    /// Clears the cached schema and the statements that were prepared with it.
    ///
    /// SQLite reprepares a cached statement at its next step. Until then, the statement reports the
    /// old columns.
    @inline(never)
    func discardCachedSchema() {
        state.pointee.knownGeneration = schemaGeneration?.current ?? 0
        schemaCache = SchemaCache()
        removeCachedStatements()
    }

    var discardsSchemaAfterTransaction: Bool {
        get { state.pointee.discardsSchemaAfterTransaction }
        set { state.pointee.discardsSchemaAfterTransaction = newValue }
    }

    /// Makes the next use of a cached statement clear the cached schema.
    func expireKnownSchema() {
        // The count starts at 1.
        state.pointee.knownGeneration = 0
    }

    var observationBroker: ObservationBroker? {
        get { state.pointee.observationBroker }
        set { state.pointee.observationBroker = newValue }
    }

    var authorizer: StatementAuthorizer? {
        get { state.pointee.authorizer }
        set { state.pointee.authorizer = newValue }
    }

    var recordedRegion: DatabaseRegion? {
        get { state.pointee.recordedRegion }
        set {
            state.pointee.recordedRegion = newValue
            setAttention(.recording, newValue != nil)
        }
    }

    var traceHandler: ((TraceEvent) -> Void)? {
        get { state.pointee.trace }
        set { state.pointee.trace = newValue }
    }

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

    func removeCachedStatements() {
        statementCache.removeAll()
        fetchCache.removeAll()
    }

    @inline(__always)
    var transactionStatements: TransactionStatements {
        get { state.pointee.transactionStatements }
        _modify { yield &state.pointee.transactionStatements }
    }

    @inline(__always)
    var slot: Unmanaged<AccessSlot>? {
        get { state.pointee.slot }
        set { state.pointee.slot = newValue }
    }

    var standInError: DatabaseError? {
        get { state.pointee.standInError }
        set { state.pointee.standInError = newValue }
    }

    var isStandIn: Bool { state.pointee.standInError != nil }

    var isAnnounced: Bool {
        get { state.pointee.isAnnounced }
        set { state.pointee.isAnnounced = newValue }
    }

    var journalModeCache: String? {
        get { state.pointee.journalModeCache }
        set { state.pointee.journalModeCache = newValue }
    }

    /// Whether the connection is currently read-only.
    var isReadOnly: Bool { isReadOnlyConnection || readOnlyDepth > 0 }

    /// Whether a transaction is open (`sqlite3_get_autocommit`).
    public var isInsideTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// The rowid of the last row inserted on this connection.
    public var lastInsertedRowID: Int64 { sqlite3_last_insert_rowid(handle) }

    /// The version of SQLite at run time, such as 3040001 for 3.40.1.
    public static var sqliteLibVersionNumber: CInt { sqlite3_libversion_number() }

    /// The number of rows that the last statement inserted, updated, or deleted.
    public var changesCount: Int { Int(sqlite3_changes(handle)) }

    /// The number of rows inserted, updated, or deleted since the connection was opened.
    public var totalChangesCount: Int { Int(sqlite3_total_changes(handle)) }

    /// The message of the last error on this connection, in English.
    var lastErrorMessage: String? {
        sqlite3_errmsg(handle).map { String(cString: $0) }
    }
}

@available(*, unavailable)
extension Database: Sendable {}
