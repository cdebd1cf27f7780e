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
        didSet { setAttention(.recording, isSet: recordedRegion != nil) }
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
        set { setAttention(.observers, isSet: newValue) }
    }

    private func setAttention(_ flag: Attention, isSet: Bool) {
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

extension Database {
    /// The behavior of a connection when another connection holds a lock on the file.
    public enum BusyMode: Sendable {
        /// Fails immediately with `SQLITE_BUSY`.
        case immediateError
        /// Retries for the given number of seconds, then fails with `SQLITE_BUSY`.
        case timeout(TimeInterval)
        /// Calls a closure that returns whether to retry.
        case callback(BusyCallback)
    }

    /// A closure that returns whether to retry, given the number of attempts so far.
    public typealias BusyCallback = @Sendable (_ numberOfTries: Int) -> Bool

    /// The extent of a checkpoint.
    ///
    /// See <https://sqlite.org/c3ref/wal_checkpoint_v2.html>.
    public enum CheckpointMode: CInt, Hashable, Sendable {
        /// Copies as many frames as possible without waiting.
        case passive = 0
        /// Waits for the writer and for readers of older states, then copies all frames.
        case full = 1
        /// Behaves like `full`, then waits for readers of the log so that the next writer restarts
        /// the log.
        case restart = 2
        /// Behaves like `restart`, then truncates the log.
        case truncate = 3
    }

    /// Copies the write-ahead log into the database file.
    ///
    /// - Parameters:
    ///   - kind: The extent of the checkpoint.
    ///   - dbName: The name of a database, or `nil` for all databases.
    /// - Returns: The number of frames in the log and the number of frames that are now in the
    ///   database file. Both are -1 if the database is not in WAL mode.
    /// - Throws: `SQLITE_BUSY` if another connection blocks a mode other than passive, or
    ///   `SQLITE_LOCKED` inside a transaction.
    @discardableResult
    public func checkpoint(
        _ kind: CheckpointMode = .passive,
        on dbName: String? = "main"
    ) throws -> (walFrameCount: Int, checkpointedFrameCount: Int) {
        try restartReadTransaction()
        var frames: CInt = -1
        var copied: CInt = -1
        try check(sqlite3_wal_checkpoint_v2(handle, dbName, kind.rawValue, &frames, &copied))
        if frames >= 0, dbName == nil || dbName == "main" { probe.didCheckpoint(mode: "\(kind)") }
        return (Int(frames), Int(copied))
    }

    /// Releases as much of the connection's memory as possible, including its page cache and its
    /// prepared statements.
    public func releaseMemory() {
        removeCachedStatements()
        sqlite3_db_release_memory(handle)
    }

    /// Makes the open read transaction read the last committed state.
    ///
    /// `BEGIN` alone does not start a read. The first statement that reads determines the state.
    /// See https://sqlite.org/lang_transaction.html, section 2.1.
    func captureState() throws {
        try execute(sql: "SELECT rootpage FROM sqlite_master LIMIT 1")
    }

    /// Prepares to close the connection.
    ///
    /// This method finalizes the statements that the engine and virtual tables keep, and checks
    /// that all other statements are finalized. The connection stays open. If it remains in use,
    /// the engine prepares the finalized statements again when needed.
    ///
    /// - Throws: `SQLITE_BUSY` if one of the user's statements is not finalized. The message
    ///   contains its SQL.
    func prepareToClose() throws {
        removeCachedStatements()
        transactionStatements.finalize()
        resetSchema()
        let statements = liveStatements
        guard let first = statements.first else { return }
        for statement in statements {
            Self.logError?(.SQLITE_BUSY, "unfinalized statement: \(statement)")
        }
        throw DatabaseError(
            resultCode: .SQLITE_BUSY,
            message: "unable to close due to unfinalized statements: \(label) still has "
                + (statements.count == 1
                    ? "`\(first)`" : "\(statements.count) statements, such as `\(first)`")
        )
    }

    /// The SQL of the user's statements that prevent closing the connection.
    private var liveStatements: [String] {
        let statements = preparedStatements.map { statement in
            // A BLOB handle is a statement without SQL.
            sqlite3_sql(statement).map { String(cString: $0).trimmedSQL } ?? "a BLOB handle"
        }
        // An unfinalized statement on a virtual table also keeps the internal statements of the
        // table open. Only statements that were prepared through the engine are known to belong to
        // the user. If no such statement is open, the user prepared one through the C handle.
        let registered = probe.statements.allSQL
        let prepared = statements.filter { registered.contains($0) }
        return prepared.isEmpty ? statements : prepared
    }

    /// Throws `error` if `body` can throw an error of this type; otherwise, runs `body` with a
    /// stand-in.
    ///
    /// A closure that cannot throw the error must still run. Every statement on the stand-in throws
    /// the error.
    static func withStandIn<T, E: Error>(
        for error: any Error,
        label: String,
        _ body: (Database) throws(E) -> T
    ) throws(E) -> T {
        if let error = error as? E { throw error }
        return try body(makeStandIn(label: label, for: error))
    }

    /// Creates a connection on which every statement throws `error`.
    ///
    /// The stand-in has a separate C connection to an empty in-memory database, because most SQLite
    /// functions do not accept a null pointer as a connection.
    static func makeStandIn(label: String, for error: any Error) -> Database {
        do {
            let database = try open(
                path: ":memory:",
                configuration: Configuration(),
                label: label,
                probe: ConnectionProbe(level: .off)
            )
            database.standInError = error as? DatabaseError ?? .connectionIsClosed()
            return database
        } catch {
            fatalError("cannot open an in-memory database: \(error)")
        }
    }
}

extension Database: CustomStringConvertible, CustomDebugStringConvertible {
    /// The label of the connection.
    public var description: String { label }

    /// The label of the connection, marked as a `Database`.
    public var debugDescription: String { "<Database: \(label)>" }
}
