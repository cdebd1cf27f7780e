#if GRDB
import Foundation
import GRDB
import PoolgaugeGRDB
import Telemetry
import TestSupport

/// A new folder for a database.
final class TestDatabase {
    /// The path of the folder, which is short, because a socket's path has at most about 100 bytes.
    let folder: String
    var path: String { folder + "/test.sqlite" }

    init() throws {
        var template = Array("/tmp/pgg-XXXXXX".utf8CString)
        guard let created = mkdtemp(&template) else { throw Gate.Timeout() }
        folder = String(cString: created)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// Opens a pool with the table `t`.
    func pool(
        _ change: (inout Configuration) -> Void = { _ in }
    ) throws -> WatchedDatabase<DatabasePool> {
        var configuration = Configuration()
        configuration.label = "shop"
        configuration.maximumReaderCount = 2
        change(&configuration)
        let watched = try WatchedDatabase(configuration: configuration) { [path] in
            try DatabasePool(path: path, configuration: $0)
        }
        try watched.database.write { db in
            try db.execute(sql: "CREATE TABLE t(x); INSERT INTO t VALUES (1)")
        }
        return watched
    }

    /// Opens a second connection, whose locks block the first one.
    func otherConnection() throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.busyMode = .timeout(10)
        configuration.allowsUnsafeTransactions = true
        return try DatabaseQueue(path: path, configuration: configuration)
    }
}

/// An access that holds its connection until ``end()`` is called.
final class Hold {
    private let mayEnd = Gate()
    private let background: Background

    /// Starts an access on a new thread, and waits until its closure runs.
    init(_ access: @escaping @Sendable ((Database) throws -> Void) throws -> Void) throws {
        let (isHeld, mayEnd) = (Gate(), mayEnd)
        background = Background {
            try access { db in
                _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM t")
                isHeld.open()
                try mayEnd.wait()
            }
        }
        try isHeld.wait()
    }

    func end() throws {
        mayEnd.open()
        try background.end()
    }
}
#endif
