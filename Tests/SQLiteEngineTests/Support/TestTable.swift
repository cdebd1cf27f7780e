import TestSupport

@testable import SQLiteEngine

extension Configuration {
    /// Returns a configuration that a closure has changed.
    static func with(_ change: (inout Configuration) -> Void) -> Configuration {
        var configuration = Configuration()
        change(&configuration)
        return configuration
    }
}

extension DatabaseQueue {
    /// Returns an in-memory queue with the table `t (v)`.
    static func withTable(configuration: Configuration = Configuration()) throws -> DatabaseQueue {
        let queue = try DatabaseQueue(configuration: configuration)
        try queue.write { db in try db.execute(sql: "CREATE TABLE t (v UNIQUE)") }
        return queue
    }
}

extension DatabasePool {
    /// Returns a pool on a new file with the table `t (v)`.
    static func withTable(
        in folder: TemporaryFolder,
        configuration: Configuration = Configuration()
    ) throws -> DatabasePool {
        let pool = try DatabasePool(path: folder.file(), configuration: configuration)
        try pool.write { db in try db.execute(sql: "CREATE TABLE t (v UNIQUE)") }
        return pool
    }
}

extension Database {
    /// Returns the number of rows in `t`.
    func rowCount() throws -> Int? { try Int.fetchOne(self, sql: "SELECT count(*) FROM t") }

    /// Adds a row to `t`.
    func insert(_ value: Int) throws {
        try execute(sql: "INSERT INTO t VALUES (?)", arguments: [value])
    }
}

extension DatabasePool {
    /// Returns the number of rows in `t`.
    func rowCount() throws -> Int? { try read { db in try db.rowCount() } }
}

extension DatabaseQueue {
    /// Returns the number of rows in `t`.
    func rowCount() throws -> Int? { try read { db in try db.rowCount() } }
}
