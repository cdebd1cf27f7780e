import CSQLite
import Foundation

/// The connection of a program that uses libsqlite3 directly.
///
/// The connection uses no part of the engine, so the program is independent of the engine.
package final class ForeignConnection {
    /// An SQLite error.
    package struct Failure: Error {
        /// The extended result code.
        package var code: Int32
        /// SQLite's message and the SQL.
        package var message: String
    }

    /// Returns SQL that creates the tables of a load.
    ///
    /// The tables contain a counter and `pageCount` rows of one page each.
    package static func schema(pageCount: Int) -> String {
        """
        CREATE TABLE counter (id INTEGER PRIMARY KEY, value INTEGER NOT NULL);
        INSERT INTO counter VALUES (1, 0);
        CREATE TABLE page (id INTEGER PRIMARY KEY, number INTEGER NOT NULL, filler BLOB NOT NULL);
        WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n LIMIT \(pageCount))
        INSERT INTO page SELECT id, 0, randomblob(3900) FROM n;
        """
    }

    private let handle: OpaquePointer?
    private let path: String

    /// Opens a database and creates its file if necessary.
    ///
    /// The busy timeout is 20 s. `synchronous` is `OFF`, so that commit times do not depend on the
    /// disk.
    package init(path: String) throws {
        var handle: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        let code = sqlite3_open_v2(path, &handle, flags, nil)
        guard code == SQLITE_OK else {
            sqlite3_close_v2(handle)
            throw Failure(code: code, message: "cannot open \(path)")
        }
        self.handle = handle
        self.path = path
        sqlite3_busy_timeout(handle, 20_000)
        _ = try firstRow(of: "PRAGMA synchronous = OFF")
    }

    deinit { sqlite3_close_v2(handle) }

    /// Runs all statements in `sql` and returns the first row of the last statement that returns
    /// rows.
    package func firstRow(of sql: String) throws -> [String?] {
        var row: [String?] = []
        try sql.withCString { start in
            var next: UnsafePointer<CChar>? = start
            while let text = next, text.pointee != 0 {
                var statement: OpaquePointer?
                defer { sqlite3_finalize(statement) }
                try check(sqlite3_prepare_v2(handle, text, -1, &statement, &next), sql)
                guard statement != nil else { continue }
                var code = sqlite3_step(statement)
                if code == SQLITE_ROW { row = columns(of: statement) }
                while code == SQLITE_ROW { code = sqlite3_step(statement) }
                try check(code == SQLITE_DONE ? SQLITE_OK : code, sql)
            }
        }
        return row
    }

    private func columns(of statement: OpaquePointer?) -> [String?] {
        (0..<sqlite3_column_count(statement)).map { index in
            sqlite3_column_text(statement, index).map { String(cString: $0) }
        }
    }

    private func check(_ code: Int32, _ sql: @autoclosure () -> String) throws {
        guard code != SQLITE_OK else { return }
        let message = String(cString: sqlite3_errmsg(handle))
        throw Failure(code: sqlite3_extended_errcode(handle), message: "\(message): \(sql())")
    }

    /// The size of the write-ahead log in bytes, or 0 if there is no log.
    private var logBytes: Int {
        var information = stat()
        return stat(path + "-wal", &information) == 0 ? Int(information.st_size) : 0
    }

    /// Performs a load and stores the value of the counter in `counter` after each commit.
    package func perform(_ load: CommitLoad, counter: SharedCounter) throws -> CommitTimes {
        let begin = try prepare("BEGIN IMMEDIATE")
        let count = try prepare("UPDATE counter SET value = value + 1 RETURNING value")
        let change = try prepare("UPDATE page SET number = number + 1 WHERE id <= \(load.pages)")
        let commit = try prepare("COMMIT")
        defer { for statement in [begin, count, change, commit] { sqlite3_finalize(statement) } }
        // A failed commit leaves its transaction open.
        defer { if sqlite3_get_autocommit(handle) == 0 { _ = try? firstRow(of: "ROLLBACK") } }
        var times = CommitTimes()
        for number in 1...max(1, load.count) {
            let start = DispatchTime.now().uptimeNanoseconds
            try run(begin)
            let value = try run(count)
            if load.pages > 0 { try run(change) }
            try run(commit)
            let end = DispatchTime.now().uptimeNanoseconds
            counter.store(value)
            times.append(nanoseconds: end - start, logBytes: logBytes)
            if let sql = load.maintenance, number % load.maintenanceInterval == 0 {
                try maintain(sql, &times)
            }
            if load.pause > 0 { usleep(load.pause) }
        }
        return times
    }

    private func maintain(_ sql: String, _ times: inout CommitTimes) throws {
        let start = DispatchTime.now().uptimeNanoseconds
        var isBlocked: Bool
        do {
            // The first column of `PRAGMA wal_checkpoint` is 1 if a lock stopped the checkpoint
            // (https://sqlite.org/pragma.html#pragma_wal_checkpoint).
            isBlocked = try firstRow(of: sql).first == "1"
        } catch let failure as Failure
            where [SQLITE_BUSY, SQLITE_LOCKED].contains(failure.primaryCode)
        {
            isBlocked = true
        }
        let end = DispatchTime.now().uptimeNanoseconds
        times.appendMaintenance(nanoseconds: end - start, isBlocked: isBlocked)
    }

    private func prepare(_ sql: String) throws -> OpaquePointer? {
        var statement: OpaquePointer?
        try check(sqlite3_prepare_v2(handle, sql, -1, &statement, nil), sql)
        return statement
    }

    /// Runs a statement to completion and returns the first column of its first row, or 0.
    @discardableResult
    private func run(_ statement: OpaquePointer?) throws -> Int {
        var value = 0
        var code = sqlite3_step(statement)
        while code == SQLITE_ROW {
            value = Int(sqlite3_column_int64(statement, 0))
            code = sqlite3_step(statement)
        }
        sqlite3_reset(statement)
        try check(
            code == SQLITE_DONE ? SQLITE_OK : code,
            sqlite3_sql(statement).map { String(cString: $0) } ?? ""
        )
        return value
    }
}

extension ForeignConnection.Failure {
    /// The primary result code.
    package var primaryCode: Int32 { code & 0xFF }
}
