import CSQLite
import Foundation

/// A bare connection that prepares each statement of the benchmark cases once.
final class RawConnection: @unchecked Sendable {  // used by one thread, or while `lock` is held
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
    let notes: OpaquePointer?
    let datedNotes: OpaquePointer?
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
        notes = prepare(SQL.notes)
        datedNotes = prepare(SQL.datedNotes)
    }

    deinit {
        let statements = [
            begin, beginImmediate, commit, select, update, rows, notes, datedNotes,
        ]
        for statement in statements {
            sqlite3_finalize(statement)
        }
        sqlite3_close(handle)
    }

    private func run(_ statement: OpaquePointer?) throws {
        let code = sqlite3_step(statement)
        sqlite3_reset(statement)
        guard code == SQLITE_DONE else { throw Failure(code: code) }
    }

    /// Reads one row in a transaction.
    func read(_ key: Int64) throws -> Int64 {
        try run(begin)
        sqlite3_bind_int64(select, 1, key)
        guard sqlite3_step(select) == SQLITE_ROW else { throw Failure(code: SQLITE_ERROR) }
        let value = sqlite3_column_int64(select, 0)
        sqlite3_reset(select)
        try run(commit)
        return value
    }

    /// Updates one row in a transaction.
    func write(_ key: Int64) throws {
        try run(beginImmediate)
        sqlite3_bind_int64(update, 1, key)
        try run(update)
        try run(commit)
    }

    /// Reads all rows, and copies each column as a C program would.
    func copyRows() throws -> Int {
        try copy(rows, integers: [0, 1], doubles: [3], texts: [2, 4])
    }

    /// Copies all rows as `copyRows()` does, without the second integer.
    func copyNotes() throws -> Int {
        try copy(notes, integers: [0], doubles: [2], texts: [1, 3])
    }

    /// Copies all rows as `copyNotes()` does, with a date that is copied as text but not parsed.
    func copyDatedNotes() throws -> Int {
        try copy(datedNotes, integers: [0], doubles: [2], texts: [1, 3, 4])
    }

    private func copy(
        _ rows: OpaquePointer?,
        integers: [CInt],
        doubles: [CInt],
        texts: [CInt]
    ) throws -> Int {
        try run(begin)
        var copies: [UnsafeMutablePointer<CChar>?] = []
        copies.reserveCapacity(texts.count * 10_000)
        var sum: Int64 = 0
        while sqlite3_step(rows) == SQLITE_ROW {
            for column in integers { sum &+= sqlite3_column_int64(rows, column) }
            for column in doubles { sum &+= Int64(sqlite3_column_double(rows, column)) }
            for column in texts {
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
        return sum == 0 ? 0 : copies.count / texts.count
    }
}
