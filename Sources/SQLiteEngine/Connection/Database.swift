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
    /// The additional work that statements and transactions require.
    struct Attention: OptionSet {
        let rawValue: UInt8
        /// The connection has transaction observers.
        static let observers = Attention(rawValue: 1)
        /// The regions that statements read are being recorded.
        static let recording = Attention(rawValue: 2)
        /// Some state must be cleared when the transaction ends.
        static let transaction = Attention(rawValue: 4)
        /// The flags that are relevant before a statement runs.
        static let beforeStatement: Attention = [.observers, .recording]
    }

    /// The configuration of the connection.
    public let configuration: Configuration

    /// The source of the primary keys of views, which ``withSchemaSource(_:execute:)`` replaces.
    @exclusivity(unchecked) public internal(set) var schemaSource: (any DatabaseSchemaSource)?

    /// The label of the connection, such as `SQLiteEngine.DatabasePool.reader.1`.
    public let label: String

    /// Whether the file was opened read-only.
    let isReadOnlyConnection: Bool

    /// The measurements of the connection, which other threads can read.
    let probe: ConnectionProbe

    let path: String

    let suspension: Suspension

    /// The read transaction that is kept between accesses.
    ///
    /// The pointer is valid as long as this object.
    let kept: UnsafeMutablePointer<KeptReadTransaction>

    // Swift checks each access to a class's `var` for exclusivity at run time. These checks alone
    // accounted for up to a third of the time of a point read. An access holds the connection
    // exclusively, so the checks are unnecessary.

    @exclusivity(unchecked) package private(set) var handle: SQLiteConnection?

    /// The number of enclosing scopes that reject writes: a queue's `read` and ``readOnly(_:)``.
    @exclusivity(unchecked) var readOnlyDepth = 0

    /// Whether an enclosing transaction of the engine is open.
    ///
    /// If the connection is nevertheless in autocommit mode, SQLite has rolled the transaction
    /// back, for example because of an interrupt or `ON CONFLICT ROLLBACK`. All statements then
    /// throw `SQLITE_ABORT` until the block ends.
    @exclusivity(unchecked) var isInsideTransactionBlock = false

    /// Whether a transaction is still open because its rollback failed, for example because memory
    /// was exhausted.
    ///
    /// The rollback is retried before the next transaction or statement.
    @exclusivity(unchecked) var isTransactionAbandoned = false

    /// The cancellation state of the access, or `nil` if the access does not belong to a task.
    @exclusivity(unchecked) var cancellation: AccessCancellation?

    @exclusivity(unchecked) var attention: Attention = []

    /// The date of the open transaction, or the error that the clock threw.
    @exclusivity(unchecked) var openTransactionDate: Result<Date, any Error>?

    @exclusivity(unchecked) var savepoints = SavepointStack()

    @exclusivity(unchecked) var hasChangedSchema = false

    @exclusivity(unchecked) var schemaCache = SchemaCache()

    /// The counter of schema changes that this process makes.
    @exclusivity(unchecked) var schemaGeneration: SchemaGeneration? {
        didSet { generationCount = schemaGeneration?.count }
    }

    /// The count of `schemaGeneration`, which is valid while that object is retained.
    @exclusivity(unchecked) private var generationCount: UnsafeMutablePointer<Atomic<UInt64>>?

    /// The count when ``schemaCache`` and ``statementCache`` were last empty.
    @exclusivity(unchecked) private var knownGeneration: UInt64 = 0

    /// The number of times that the schema-dependent caches were cleared.
    @exclusivity(unchecked) private(set) var schemaEpoch = 0

    /// The data version for which ``confirmSchema()`` has checked the schema, or `nil`.
    @exclusivity(unchecked) var confirmedDataVersion: UInt32?

    /// Whether the schema and statement caches are cleared again when the transaction ends.
    ///
    /// See ``otherConnectionDidChangeSchema()``.
    @exclusivity(unchecked) var discardsSchemaAfterTransaction = false

    @exclusivity(unchecked) var observationBroker: ObservationBroker?

    @exclusivity(unchecked) var authorizer: StatementAuthorizer?

    /// The first failure to add a function or a collation because memory was exhausted.
    @exclusivity(unchecked) var additionFailure: DatabaseError?

    /// The region that has been read since recording started, or `nil` if recording is off.
    @exclusivity(unchecked) var recordedRegion: DatabaseRegion? {
        didSet { setAttention(.recording, recordedRegion != nil) }
    }

    /// The handler of ``trace(options:_:)``.
    @exclusivity(unchecked) var traceHandler: ((TraceEvent) -> Void)?

    /// Whether the running statements belong to the engine and are not traced.
    @exclusivity(unchecked) var isTraceMuted = false

    /// The cache of ``cachedStatement(sql:)``.
    @exclusivity(unchecked) var statementCache = StatementCache()

    /// The cache of `fetchOne`, `fetchAll`, and `fetchSet`.
    ///
    /// This cache is separate because the user sets the arguments of the statements in
    /// ``statementCache``.
    @exclusivity(unchecked) var fetchCache = StatementCache()

    /// The `BEGIN`, `COMMIT`, and `ROLLBACK` statements, which are reused.
    @exclusivity(unchecked) var transactionStatements = TransactionStatements()

    /// The slot that contains the connection and outlives it.
    @exclusivity(unchecked) var slot: Unmanaged<AccessSlot>?

    /// The error that every statement throws, if this is a stand-in for a missing connection.
    ///
    /// See ``withStandIn(for:label:_:)``.
    @exclusivity(unchecked) var standInError: DatabaseError?

    /// Whether the configuration was notified that the connection is open.
    @exclusivity(unchecked) var isAnnounced = false

    /// The number of times that all statements were reset.
    @exclusivity(unchecked) var resetCount: UInt64 = 0

    /// The file to check before a write, or `nil` if the connection is read-only.
    @exclusivity(unchecked) private(set) var openedFile: OpenedFile?

    #if os(Linux)
    /// Notices changes of the file's path, or `nil` if each write must examine the path.
    @exclusivity(unchecked) private(set) var movedFileWatch: MovedFileWatch?

    /// The last change before the file was last seen at its path.
    @exclusivity(unchecked) var seenChange: UInt64 = 0
    #endif

    /// The wal-index, or `nil` if the connection is not in WAL mode.
    ///
    /// Only this property and ``AccessSlot/walIndex``, which other threads use, retain the object.
    @exclusivity(unchecked) var walIndex: WALIndex?

    /// The journal file when ``walIndex`` was last determined.
    @exclusivity(unchecked) var journalFile: UnsafeRawPointer?

    /// The journal mode, if a suspended connection has read it.
    @exclusivity(unchecked) var journalModeCache: String?

    init(
        sqliteConnection: SQLiteConnection,
        path: String,
        configuration: Configuration,
        label: String,
        isReadOnly: Bool,
        probe: ConnectionProbe,
        suspension: Suspension
    ) {
        handle = sqliteConnection
        kept = .allocate(capacity: 1)
        kept.initialize(to: KeptReadTransaction())
        self.path = path
        self.configuration = configuration
        schemaSource = configuration.schemaSource
        self.label = label
        self.isReadOnlyConnection = isReadOnly
        self.probe = probe
        self.suspension = suspension
    }

    deinit {
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

    /// Records the file of this connection, and checks it before each write.
    func use(_ file: OpenedFile) {
        file.record(self)
        guard !isReadOnlyConnection else { return }
        openedFile = file
        #if os(Linux)
        guard let path = sqlite3_db_filename(handle, "main"), path.pointee != 0 else { return }
        movedFileWatch = MovedFileWatch(path: String(cString: path))
        if hasMoved("main") { movedFileWatch = nil }
        #endif
    }

    func clearConnection() {
        handle = nil
        walIndex = nil
        // The probe and the kept transaction outlive the mapping. The probe belongs to the slot,
        // which can open another connection.
        probe.walIndex = nil
        kept.pointee.walIndex = nil
    }

    var isObserved: Bool {
        get { attention.contains(.observers) }
        set { setAttention(.observers, newValue) }
    }

    private func setAttention(_ flag: Attention, _ isSet: Bool) {
        if isSet { attention.insert(flag) } else { attention.remove(flag) }
    }

    /// Clears the schema-dependent caches if this process has changed the schema since the caches
    /// were last empty.
    @inline(__always)
    func discardOutdatedSchema() {
        guard let generationCount else { return }
        if knownGeneration != generationCount.pointee.load(ordering: .acquiring) {
            otherConnectionDidChangeSchema()
        }
    }

    /// Clears the cached schema and the statements that were prepared with it.
    ///
    /// SQLite reprepares a cached statement at its next step. Until then, the statement reports the
    /// old columns.
    @inline(never)
    func discardCachedSchema() {
        knownGeneration = schemaGeneration?.current ?? 0
        schemaEpoch += 1
        confirmedDataVersion = nil
        schemaCache = SchemaCache()
        removeCachedStatements()
    }

    /// Makes the next use of a cached statement clear the cached schema.
    func expireKnownSchema() {
        // The count starts at 1.
        knownGeneration = 0
    }

    func removeCachedStatements() {
        statementCache.removeAll()
        fetchCache.removeAll()
    }

    var isStandIn: Bool { standInError != nil }

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
