import CSQLite
import SQLiteEngine
import Scenarios
import Synchronization
import Telemetry
import WorkloadEngine

/// A libsqlite3 connection and its cache of prepared statements.
///
/// Only one thread at a time may use the connection, except for ``interrupt()``.
final class RawConnection: ProfiledSession, @unchecked Sendable {
    // Unchecked: only one worker's thread uses the connection. Any thread may call
    // `sqlite3_interrupt` (https://sqlite.org/c3ref/interrupt.html), and all such calls return
    // before the connection is closed.
    private var connection: OpaquePointer?
    private var statements: [String: OpaquePointer] = [:]
    private let busyWait: BusyWait
    /// Whether ``busyWait`` is the connection's busy handler.
    ///
    /// A pragma can replace the handler.
    private let measuresWaits: Bool
    /// The holder of the file's write lock, or `nil` if the holder is not recorded.
    private let writer: WriterSlot?
    /// The connection's number, which is unique in the process.
    private let number: UInt64
    /// Whether the connection's transaction holds the write lock.
    private var isWriter = false
    /// The client that uses the connection, identified by the client's name object.
    private var client: ObjectIdentifier?

    private static let count = Atomic<UInt64>(0)

    /// The default time to wait for another connection's lock.
    ///
    /// Writers wait for the lock on the file, because no queue in the process serializes them.
    static let busyTimeout = Duration.seconds(10)

    /// Opens a database.
    ///
    /// Unless the connection is read-only, SQLite creates a missing file.
    init(
        path: String,
        busyTimeout: Duration = RawConnection.busyTimeout,
        retry: BusyRetry? = nil,
        measuresWaits: Bool = true,
        writer: WriterSlot? = nil,
        isReadOnly: Bool = false
    ) throws {
        busyWait = BusyWait(timeout: busyTimeout, retry: retry)
        self.measuresWaits = measuresWaits
        self.writer = writer
        number = Self.count.wrappingAdd(1, ordering: .relaxed).newValue
        let access = isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        let flags = access | SQLITE_OPEN_NOMUTEX
        let code = sqlite3_open_v2(path, &connection, flags, nil)
        guard code == SQLITE_OK else {
            defer { sqlite3_close_v2(connection) }
            throw RawError(code, connection, path: path)
        }
        sqlite3_extended_result_codes(connection, 1)
        // Use a handler, because waits with `sqlite3_busy_timeout` cannot be measured.
        busyWait.install(on: connection)
    }

    func install(_ statementGuard: StatementGuard) { statementGuard.install(on: connection) }

    deinit { close() }

    func close() {
        for statement in statements.values { sqlite3_finalize(statement) }
        statements = [:]
        sqlite3_close_v2(connection)
        connection = nil
    }

    func interrupt() { if let connection { sqlite3_interrupt(connection) } }

    /// Runs `body` in a transaction.
    ///
    /// An error rolls the transaction back.
    func transaction(_ begin: String, _ body: (any WorkloadSession) throws -> Void) throws {
        try run(begin, [])
        do {
            try body(self)
            try run("COMMIT", [])
        } catch {
            // Some errors end the transaction (https://sqlite.org/lang_transaction.html). At the
            // end of a run, an interrupt may also end the rollback, so retry.
            for _ in 0..<100 where sqlite3_get_autocommit(connection) == 0 {
                _ = try? run("ROLLBACK", [])
            }
            releaseIfEnded()
            throw error
        }
    }

    @discardableResult
    func run(_ sql: String, _ values: [WorkloadValue]) throws -> Int {
        var count = 0
        try step(sql, values: values) { _ in count += 1 }
        return count
    }

    func makeInterrupt() -> (@Sendable () -> Void)? { { [self] in interrupt() } }

    func rows(_ sql: String, _ values: [WorkloadValue]) throws -> [[WorkloadValue]] {
        var rows: [[WorkloadValue]] = []
        try step(sql, values: values) { statement in
            rows.append(
                (0..<sqlite3_column_count(statement)).map { Self.value(of: statement, $0) }
            )
        }
        return rows
    }

    /// Copies the database to a file (<https://sqlite.org/backup.html>).
    func backup(
        to path: String,
        pagesPerStep: CInt,
        _ progress: (Double) throws -> Void
    ) throws {
        let copy = try RawConnection(path: path)
        defer { copy.close() }
        try backup(to: copy) {
            pagesPerStep
        } afterStep: {
            try progress($0)
        }
    }

    /// Copies the database to the database of a different connection.
    ///
    /// - Parameters:
    ///   - copy: The connection to copy to.
    ///   - pages: A function that returns the number of pages in the next step. A negative number
    ///     means all remaining pages.
    ///   - afterStep: A function that receives the copied fraction, from 0 to 1, after each step.
    /// - Throws: ``RawError``, or an error from `afterStep`.
    func backup(
        to copy: RawConnection,
        _ pages: () -> CInt,
        afterStep: (Double) throws -> Void
    ) throws {
        guard let backup = sqlite3_backup_init(copy.connection, "main", connection, "main") else {
            throw RawError(sqlite3_extended_errcode(copy.connection), copy.connection)
        }
        defer { sqlite3_backup_finish(backup) }
        while true {
            let code = sqlite3_backup_step(backup, pages())
            guard [SQLITE_OK, SQLITE_DONE].contains(code) else {
                throw RawError(code, copy.connection)
            }
            let count = Double(max(1, sqlite3_backup_pagecount(backup)))
            try afterStep(1 - Double(sqlite3_backup_remaining(backup)) / count)
            if code == SQLITE_DONE { return }
        }
    }

    var sqliteConnection: OpaquePointer? { connection }

    func preparedStatement(_ sql: String) throws -> OpaquePointer { try statement(sql) }

    func rollingBack(_ body: () throws -> Void) throws {
        struct Rollback: Error {}
        do {
            try transaction("BEGIN IMMEDIATE") { _ in
                try body()
                throw Rollback()
            }
        } catch is Rollback {}
    }

    func check(_ sql: String) throws { _ = try statement(sql) }

    private func step(
        _ sql: String,
        values: [WorkloadValue],
        _ row: (OpaquePointer) throws -> Void
    ) throws {
        let statement = try statement(sql)
        defer { sqlite3_reset(statement) }
        busyWait.begin()
        for (index, value) in values.enumerated() {
            let code = Self.bind(value, to: statement, at: CInt(index + 1))
            guard code == SQLITE_OK else { throw RawError(code, connection, sql: sql) }
        }
        while true {
            let code = sqlite3_step(statement)
            if code == SQLITE_DONE {
                recordWriter(after: statement)
                return
            }
            guard code == SQLITE_ROW else { throw failure(code, sql: sql) }
            try row(statement)
        }
    }

    private func failure(_ code: CInt, sql: String) -> RawError {
        var error = RawError(code, connection, sql: sql)
        guard code & 0xff == SQLITE_BUSY else { return error }
        error.lockWait = measuresWaits ? busyWait.take() : nil
        error.writer = writer?.writer(otherThan: number)
        return error
    }

    @inline(__always)
    /// Records the client that uses the connection.
    func serve(_ client: WorkloadClientName) {
        let identity = ObjectIdentifier(client.memo)
        guard self.client != identity, let writer else { return }
        self.client = identity
        writer.assign(number, to: client.name)
    }

    /// Records whether the transaction acquired or released the write lock.
    @inline(__always)
    private func recordWriter(after statement: OpaquePointer) {
        if isWriter { return releaseIfEnded() }
        // Reads and BEGIN DEFERRED do not acquire the write lock.
        guard sqlite3_stmt_readonly(statement) == 0, let writer else { return }
        writer.acquire(number)
        isWriter = true
        releaseIfEnded()
    }

    private func releaseIfEnded() {
        guard isWriter, sqlite3_get_autocommit(connection) != 0 else { return }
        isWriter = false
        writer?.release(number)
    }

    private func statement(_ sql: String) throws -> OpaquePointer {
        if let statement = statements[sql] { return statement }
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v3(
            connection,
            sql,
            -1,
            UInt32(SQLITE_PREPARE_PERSISTENT),
            &statement,
            nil
        )
        guard code == SQLITE_OK, let statement else { throw RawError(code, connection, sql: sql) }
        statements[sql] = statement
        return statement
    }

    private static func bind(
        _ value: WorkloadValue,
        to statement: OpaquePointer,
        at index: CInt
    ) -> CInt {
        switch value {
        case .null: sqlite3_bind_null(statement, index)
        case .integer(let value): sqlite3_bind_int64(statement, index, value)
        case .real(let value): sqlite3_bind_double(statement, index, value)
        case .text(let value):
            sqlite3_bind_text(
                statement,
                index,
                value,
                CInt(clamping: value.utf8.count),
                poolgauge_transient()
            )
        case .blob(let bytes):
            bytes.isEmpty
                ? sqlite3_bind_zeroblob(statement, index, 0)
                : sqlite3_bind_blob(
                    statement,
                    index,
                    bytes,
                    CInt(clamping: bytes.count),
                    poolgauge_transient()
                )
        }
    }

    private static func value(of statement: OpaquePointer, _ column: CInt) -> WorkloadValue {
        switch sqlite3_column_type(statement, column) {
        case SQLITE_INTEGER: return .integer(sqlite3_column_int64(statement, column))
        case SQLITE_FLOAT: return .real(sqlite3_column_double(statement, column))
        case SQLITE_TEXT:
            guard let text = sqlite3_column_text(statement, column) else { return .null }
            let count = Int(sqlite3_column_bytes(statement, column))
            return .text(
                String(decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self)
            )
        case SQLITE_BLOB:
            let count = Int(sqlite3_column_bytes(statement, column))
            guard let bytes = sqlite3_column_blob(statement, column) else { return .blob([]) }
            return .blob([UInt8](UnsafeRawBufferPointer(start: bytes, count: count)))
        default: return .null
        }
    }
}

/// An error from libsqlite3.
struct RawError: Error, CustomStringConvertible {
    var code: ResultCode
    var message: String
    /// The statement that failed, if any.
    var sql: String?
    /// The path of the file that could not be opened, if any.
    var path: String?
    /// The wait for a lock before an `SQLITE_BUSY` error, or `nil` if unknown.
    var lockWait: LockWait?
    /// The client of the other connection that holds or last held the write lock, or `nil` if
    /// unknown.
    var writer: WriterSlot.Writer?

    init(
        _ code: CInt,
        _ connection: OpaquePointer?,
        sql: String? = nil,
        path: String? = nil
    ) {
        self.code = ResultCode(rawValue: code)
        message = String(cString: connection.map { sqlite3_errmsg($0) } ?? sqlite3_errstr(code))
        self.sql = sql
        self.path = path
    }

    var isFull: Bool { code.primaryResultCode == .SQLITE_FULL }

    var description: String {
        "SQLite error \(code.rawValue): \(message)"
            + (sql.map { " - while executing `\($0)`" } ?? "")
            + (path.map { " - while opening '\($0)'" } ?? "")
    }
}

extension WorkloadFailure {
    package init(sqliteCode code: CInt) { self.init(ResultCode(rawValue: code)) }

    init(_ code: ResultCode) {
        let name = code.name ?? "SQLITE_\(code.rawValue)"
        switch code.primaryResultCode {
        case .SQLITE_INTERRUPT: self = .interrupted
        case .SQLITE_BUSY, .SQLITE_LOCKED: self = .busy(name)
        default: self = .error(name)
        }
    }
}

/// A record of the connection that holds or last held a file's write lock.
///
/// A file has only one write lock, so all connections of a target share one slot.
final class WriterSlot: Sendable {
    /// The connection's number, shifted left by one bit.
    ///
    /// The low bit is 1 while the connection holds the lock. The value is 0 if no connection has
    /// held the lock.
    private let slot = Atomic<UInt64>(0)
    /// The name of the client that uses each connection, keyed by the connection's number.
    private let clientNames = Lock<[UInt64: String]>([:])

    struct Writer: Equatable {
        var client: String
        var isHolding: Bool
    }

    /// Records the client that uses a connection.
    func assign(_ connection: UInt64, to client: String) {
        clientNames.withLock { $0[connection] = client }
    }

    func acquire(_ connection: UInt64) { slot.store(connection << 1 | 1, ordering: .relaxed) }

    /// Records that a connection released the lock, unless a different connection has already
    /// acquired the lock.
    func release(_ connection: UInt64) {
        _ = slot.compareExchange(
            expected: connection << 1 | 1,
            desired: connection << 1,
            ordering: .relaxed
        )
    }

    /// Returns the writer, or `nil` if there is none or if `connection` is the writer's connection.
    func writer(otherThan connection: UInt64) -> Writer? {
        let value = slot.load(ordering: .relaxed)
        guard value != 0, value >> 1 != connection else { return nil }
        guard let client = clientNames.withLock({ $0[value >> 1] }) else { return nil }
        return Writer(client: client, isHolding: value & 1 == 1)
    }
}
