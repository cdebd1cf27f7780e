import CSQLite
import Foundation

/// A reader that uses bare libsqlite3 without a pool.
///
/// Each thread has one connection with three prepared statements.
final class RawReader: PointReader, @unchecked Sendable {  // each thread uses a separate connection
    let name: String
    /// Whether a thread begins one transaction for all its reads.
    private let keepsTransaction: Bool

    private struct Connection {
        var handle: OpaquePointer?
        var begin: OpaquePointer?
        var select: OpaquePointer?
        var commit: OpaquePointer?
    }

    /// Calls `sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0)`.
    ///
    /// This must be the first call to SQLite.
    static func disableMemoryStatistics() -> Bool {
        poolgauge_config_memstatus(0) == SQLITE_OK
    }

    private let connections: [Connection]

    init(_ name: String, path: String, keepsTransaction: Bool) throws {
        self.name = name
        self.keepsTransaction = keepsTransaction
        connections = (0..<16).map { _ in
            var connection = Connection()
            sqlite3_open_v2(
                path,
                &connection.handle,
                SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX,
                nil
            )
            let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
            let handle = connection.handle
            sqlite3_prepare_v3(handle, "BEGIN DEFERRED", -1, flags, &connection.begin, nil)
            sqlite3_prepare_v3(handle, pointReadSQL, -1, flags, &connection.select, nil)
            sqlite3_prepare_v3(handle, "COMMIT", -1, flags, &connection.commit, nil)
            return connection
        }
    }

    deinit {
        for connection in connections {
            sqlite3_finalize(connection.begin)
            sqlite3_finalize(connection.select)
            sqlite3_finalize(connection.commit)
            sqlite3_close(connection.handle)
        }
    }

    func run(thread: Int, rows: Int64, limit: Int, stop: borrowing StopFlag) throws -> Int {
        let connection = connections[thread]
        var keys = KeySequence(thread: thread, rows: rows)
        var count = 0
        if keepsTransaction { try Self.run(connection.begin) }
        while !stop.isSet, count < limit {
            let key = keys.next()
            if !keepsTransaction { try Self.run(connection.begin) }
            sqlite3_bind_int64(connection.select, 1, key)
            guard sqlite3_step(connection.select) == SQLITE_ROW else { throw POSIXError(.EIO) }
            precondition(sqlite3_column_int64(connection.select, 0) == key &* 3)
            sqlite3_reset(connection.select)
            if !keepsTransaction { try Self.run(connection.commit) }
            count += 1
        }
        if keepsTransaction { try Self.run(connection.commit) }
        return count
    }

    @inline(__always)
    private static func run(_ statement: OpaquePointer?) throws {
        guard sqlite3_step(statement) == SQLITE_DONE else { throw POSIXError(.EIO) }
        sqlite3_reset(statement)
    }
}
