import CSQLite
import EngineTarget
import SQLiteEngine
import Synchronization
import Telemetry

/// The connection of a worker process to its copy.
///
/// Unchecked: only the worker's thread uses the connection, except for ``interrupt()``, which any
/// thread may call while the connection is open (<https://sqlite.org/c3ref/interrupt.html>).
final class WorkerConnection: @unchecked Sendable {
    private var handle: OpaquePointer?
    private let statementGuard: StatementGuard?
    /// The time on the monotonic clock after which the running statement is interrupted, in
    /// nanoseconds, or 0 for no limit.
    private let deadline = Atomic<UInt64>(0)

    /// The number of steps of SQLite's virtual machine between two checks of the deadline.
    private static let checkInterval: CInt = 500

    /// Opens a copy.
    ///
    /// - Parameters:
    ///   - path: The path of the copy.
    ///   - busyTimeout: The time to wait for a lock, in milliseconds.
    ///   - isGuarded: Whether statements that access other files are denied.
    /// - Throws: ``WorkerFailure``.
    init(path: String, busyTimeout: Int32, isGuarded: Bool) throws(WorkerFailure) {
        // No file can be in a folder that is a file, so the guard denies each ATTACH of a file.
        statementGuard = isGuarded ? StatementGuard(database: path + "/none") : nil
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX
        guard sqlite3_open_v2(path, &handle, flags, nil) == SQLITE_OK else {
            defer { close() }
            throw failure
        }
        sqlite3_extended_result_codes(handle, 1)
        sqlite3_busy_timeout(handle, busyTimeout)
        sqlite3_progress_handler(
            handle,
            Self.checkInterval,
            { context in
                guard let context else { return 0 }
                let connection = Unmanaged<WorkerConnection>.fromOpaque(context)
                let limit = connection.takeUnretainedValue().deadline.load(ordering: .relaxed)
                return limit != 0 && monotonicNanoseconds() > limit ? 1 : 0
            },
            Unmanaged.passUnretained(self).toOpaque()
        )
    }

    deinit { close() }

    func close() {
        sqlite3_close_v2(handle)
        handle = nil
    }

    /// Begins to deny statements that access other files.
    func startGuard() { statementGuard?.install(on: handle) }

    func interrupt() { if let handle { sqlite3_interrupt(handle) } }

    var isAutocommit: Bool { sqlite3_get_autocommit(handle) != 0 }

    var changes: Int64 { sqlite3_total_changes64(handle) }

    /// The last error of the connection.
    var failure: WorkerFailure {
        let code = sqlite3_extended_errcode(handle)
        let message = handle.flatMap { sqlite3_errmsg($0) }.map { String(cString: $0) }
        return WorkerFailure(
            message: message ?? "the database cannot be opened",
            code: Self.name(of: code)
        )
    }

    /// Executes a statement, ignoring its rows.
    ///
    /// - Throws: ``WorkerFailure``, which contains what was denied.
    func run(_ sql: String, _ values: [String: Int64] = [:]) throws(WorkerFailure) {
        let refused = statementGuard?.refusals ?? [:]
        do throws(WorkerFailure) {
            try forEachRow(of: sql, values) { _ in }
        } catch {
            let now = statementGuard?.refusals ?? [:]
            guard let kind = now.first(where: { $0.value > refused[$0.key, default: 0] })?.key
            else { throw error }
            throw WorkerFailure(
                message: "\(kind) is denied, because it can access other files",
                code: "SQLITE_AUTH",
                isDenied: true
            )
        }
    }

    /// Executes a statement that is interrupted at a time on the monotonic clock, in nanoseconds.
    func run(
        _ sql: String,
        _ values: [String: Int64],
        until limit: UInt64
    ) throws(WorkerFailure) {
        deadline.store(limit, ordering: .relaxed)
        defer { deadline.store(0, ordering: .relaxed) }
        try run(sql, values)
    }

    /// Calls a closure with each row of a statement.
    func forEachRow(
        of sql: String,
        _ values: [String: Int64] = [:],
        _ body: (WorkerRow) -> Void
    ) throws(WorkerFailure) {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else {
            throw failure
        }
        defer { sqlite3_finalize(statement) }
        for (name, value) in values {
            let index = sqlite3_bind_parameter_index(statement, name)
            if index > 0 { sqlite3_bind_int64(statement, index, value) }
        }
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW: body(WorkerRow(statement: statement))
            case SQLITE_DONE: return
            default: throw failure
            }
        }
    }

    /// Returns the integers in the first row, which are `nil` for `NULL`.
    func integers(_ sql: String, values: [String: Int64] = [:]) throws(WorkerFailure) -> [Int64?] {
        var result: [Int64?]?
        try forEachRow(of: sql, values) { row in
            if result == nil { result = row.integers }
        }
        return result ?? []
    }

    /// Returns the texts in the first column.
    func texts(_ sql: String) throws(WorkerFailure) -> [String] {
        var texts: [String] = []
        try forEachRow(of: sql) { texts.append($0.text(0) ?? "") }
        return texts
    }

    private static func name(of code: CInt) -> String {
        ResultCode(rawValue: code).primaryResultCode.name ?? "SQLITE_\(code)"
    }
}

/// The current row of a statement, which is valid only inside the closure that receives it.
struct WorkerRow {
    fileprivate let statement: OpaquePointer?

    func text(_ column: CInt) -> String? {
        sqlite3_column_text(statement, column).map { String(cString: $0) }
    }

    var integers: [Int64?] {
        (0..<sqlite3_column_count(statement)).map { column in
            sqlite3_column_type(statement, column) == SQLITE_NULL
                ? nil : sqlite3_column_int64(statement, column)
        }
    }

    /// A hash of the types and the bytes of all values (FNV-1a, 64 bits).
    var hash: UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        func add(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        func add(word: UInt64) {
            for shift in stride(from: UInt64(0), to: 64, by: 8) {
                add(UInt8(truncatingIfNeeded: word >> shift))
            }
        }
        for column in 0..<sqlite3_column_count(statement) {
            let type = sqlite3_column_type(statement, column)
            add(UInt8(truncatingIfNeeded: type))
            switch type {
            case SQLITE_INTEGER:
                add(word: UInt64(bitPattern: sqlite3_column_int64(statement, column)))
            case SQLITE_FLOAT: add(word: sqlite3_column_double(statement, column).bitPattern)
            case SQLITE_NULL: break
            default:
                let start = sqlite3_column_blob(statement, column)
                let count = Int(sqlite3_column_bytes(statement, column))
                for byte in UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count) {
                    add(byte)
                }
                add(word: UInt64(count))
            }
        }
        return hash
    }
}
