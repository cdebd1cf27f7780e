import CSQLite
import Isolation

/// A connection that uses the SQLite C library directly, without this engine.
final class RawPeer: ObjectStore {
    /// An error that SQLite returned.
    struct Failure: Error, CustomStringConvertible {
        var code: CInt
        var sql: String

        var description: String { "SQLite returns \(code) for \(sql)" }
    }

    private var connection: OpaquePointer?

    init(path: String) throws {
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX
        let code = sqlite3_open_v2(path, &connection, flags, nil)
        guard code == SQLITE_OK else { throw Failure(code: code, sql: path) }
        sqlite3_busy_timeout(connection, 10_000)
        try run("PRAGMA synchronous = OFF", [])
    }

    deinit { sqlite3_close_v2(connection) }

    func transaction(_ begin: String, _ body: (any ObjectStore) throws -> Void) throws {
        try run(begin, [])
        do {
            try body(self)
            try run("COMMIT", [])
        } catch {
            // Some errors roll back the transaction automatically
            // (https://sqlite.org/lang_transaction.html).
            if sqlite3_get_autocommit(connection) == 0 { try run("ROLLBACK", []) }
            throw error
        }
    }

    func run(_ sql: String, _ arguments: [StoredValue]) throws { _ = try value(sql, arguments) }

    func value(_ sql: String, _ arguments: [StoredValue]) throws -> StoredValue? {
        var statement: OpaquePointer?
        var code = sqlite3_prepare_v2(connection, sql, -1, &statement, nil)
        guard code == SQLITE_OK else { throw Failure(code: code, sql: sql) }
        defer { sqlite3_finalize(statement) }
        for (index, argument) in arguments.enumerated() {
            switch argument {
            case .integer(let integer): sqlite3_bind_int64(statement, CInt(index + 1), integer)
            case .text(let text), .other(let text):
                sqlite3_bind_text(statement, CInt(index + 1), text, -1, poolgauge_transient())
            }
        }
        var value: StoredValue?
        while true {
            code = sqlite3_step(statement)
            if code == SQLITE_DONE { return value }
            guard code == SQLITE_ROW else { throw Failure(code: code, sql: sql) }
            if value == nil { value = firstColumn(of: statement) }
        }
    }

    private func firstColumn(of statement: OpaquePointer?) -> StoredValue {
        switch sqlite3_column_type(statement, 0) {
        case SQLITE_INTEGER: .integer(sqlite3_column_int64(statement, 0))
        case SQLITE_TEXT:
            .text(sqlite3_column_text(statement, 0).map { String(cString: $0) } ?? "")
        default: .other("a value that is neither an integer nor text")
        }
    }
}
