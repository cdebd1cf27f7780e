import CSQLite
import Foundation

/// A bare connection with the statements of the cases, prepared once.
final class RawConnection: @unchecked Sendable {  // used by one thread, or behind `lock`
    struct Failure: Error {
        let code: CInt
    }

    let handle: OpaquePointer?
    let begin: OpaquePointer?
    let beginImmediate: OpaquePointer?
    let commit: OpaquePointer?
    let select: OpaquePointer?
    let update: OpaquePointer?
    let rows: OpaquePointer?
    let lock = NSLock()

    init(path: String) {
        var connection: OpaquePointer?
        sqlite3_open_v2(path, &connection, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil)
        handle = connection
        func prepare(_ sql: String) -> OpaquePointer? {
            var statement: OpaquePointer?
            let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
            sqlite3_prepare_v3(connection, sql, -1, flags, &statement, nil)
            precondition(statement != nil, sql)
            return statement
        }
        sqlite3_exec(connection, "PRAGMA synchronous = NORMAL", nil, nil, nil)
        begin = prepare("BEGIN DEFERRED")
        beginImmediate = prepare("BEGIN IMMEDIATE")
        commit = prepare("COMMIT")
        select = prepare(SQL.pointRead)
        update = prepare(SQL.update)
        rows = prepare(SQL.rows)
    }

    deinit {
        for statement in [begin, beginImmediate, commit, select, update, rows] {
            sqlite3_finalize(statement)
        }
        sqlite3_close(handle)
    }

    private func run(_ statement: OpaquePointer?) throws {
        let code = sqlite3_step(statement)
        sqlite3_reset(statement)
        guard code == SQLITE_DONE else { throw Failure(code: code) }
    }

    /// A point read in a transaction.
    func read(_ key: Int64) throws -> Int64 {
        try run(begin)
        sqlite3_bind_int64(select, 1, key)
        guard sqlite3_step(select) == SQLITE_ROW else { throw Failure(code: SQLITE_ERROR) }
        let value = sqlite3_column_int64(select, 0)
        sqlite3_reset(select)
        try run(commit)
        return value
    }

    /// One update in a transaction.
    func write(_ key: Int64) throws {
        try run(beginImmediate)
        sqlite3_bind_int64(update, 1, key)
        try run(update)
        try run(commit)
    }

    /// Reads all rows, and copies each of their columns as C programs do.
    func copyRows() throws -> Int {
        try run(begin)
        var copies: [UnsafeMutablePointer<CChar>?] = []
        copies.reserveCapacity(2 * 10_000)
        var sum: Int64 = 0
        while sqlite3_step(rows) == SQLITE_ROW {
            sum &+= sqlite3_column_int64(rows, 0) &+ sqlite3_column_int64(rows, 1)
            sum &+= Int64(sqlite3_column_double(rows, 3))
            for column in [CInt(2), 4] {
                let length = Int(sqlite3_column_bytes(rows, column))
                let copy = UnsafeMutablePointer<CChar>.allocate(capacity: length + 1)
                if let text = sqlite3_column_text(rows, column) {
                    memcpy(copy, text, length + 1)
                }
                copies.append(copy)
            }
        }
        sqlite3_reset(rows)
        try run(commit)
        for copy in copies { copy?.deallocate() }
        return sum == 0 ? 0 : copies.count / 2
    }
}
