import CSQLite
import SQLiteEngine
import WorkloadEngine

/// What libsqlite3 said when a call of it failed.
struct RawError: Error, CustomStringConvertible {
    /// The extended result code.
    var code: ResultCode
    /// SQLite's message.
    var message: String
    /// The statement, if it was one.
    var sql: String?
    /// The path of the file, if it could not be opened.
    var path: String?

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

    /// Whether the file system has no space left.
    var isFull: Bool { code.primaryResultCode == .SQLITE_FULL }

    var description: String {
        "SQLite error \(code.rawValue): \(message)"
            + (sql.map { " - while executing `\($0)`" } ?? "")
            + (path.map { " - while opening '\($0)'" } ?? "")
    }
}

extension WorkloadFailure {
    /// The kind of failure that an extended result code of SQLite's stands for.
    package init(sqliteCode code: CInt) { self.init(ResultCode(rawValue: code)) }

    /// The kind of failure that a result code stands for.
    init(_ code: ResultCode) {
        let name = code.name ?? "SQLITE_\(code.rawValue)"
        switch code.primaryResultCode {
        case .SQLITE_INTERRUPT: self = .interrupted
        case .SQLITE_BUSY, .SQLITE_LOCKED: self = .busy(name)
        default: self = .error(name)
        }
    }
}
