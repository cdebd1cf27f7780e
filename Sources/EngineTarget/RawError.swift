import CSQLite
import SQLiteEngine
import WorkloadEngine

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
