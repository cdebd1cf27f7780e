#if GRDB
import GRDB

/// Accesses whose call sites and waits appear in the status.
///
/// The origin of an access is `label`, or the file and line of the call.
extension WatchedDatabase {
    /// Reads a consistent state of the database and blocks the thread, like GRDB's `read`.
    ///
    /// - Throws: The error that `value` throws, and `DatabaseError`.
    public func read<T>(
        as label: String? = nil,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ value: (Database) throws -> T
    ) throws -> T {
        let access = WatchedAccess(.read, at: CallSite(label, fileID, line), ledger)
        defer { access.end() }
        return try database.read { db in try access.run(value, db) }
    }

    /// Reads a consistent state of the database without blocking the thread, like GRDB's `read`.
    ///
    /// - Throws: The error that `value` throws, `DatabaseError`, and `CancellationError`.
    public func read<T: Sendable>(
        as label: String? = nil,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ value: @Sendable (Database) throws -> T
    ) async throws -> T {
        let site = CallSite(label, fileID, line)
        let access = WatchedAccess(.read, at: site, ledger, isTask: true)
        defer { access.end() }
        return try await database.read { db in try access.run(value, db) }
    }

    /// Runs a write transaction and blocks the thread, like GRDB's `write`.
    ///
    /// - Throws: The error that `updates` throws, and `DatabaseError`.
    public func write<T>(
        as label: String? = nil,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ updates: (Database) throws -> T
    ) throws -> T {
        let access = WatchedAccess(.write, at: CallSite(label, fileID, line), ledger)
        defer { access.end() }
        return try database.write { db in try access.run(updates, db) }
    }

    /// Runs a write transaction without blocking the thread, like GRDB's `write`.
    ///
    /// - Throws: The error that `updates` throws, `DatabaseError`, and `CancellationError`.
    public func write<T: Sendable>(
        as label: String? = nil,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ updates: @Sendable (Database) throws -> T
    ) async throws -> T {
        let site = CallSite(label, fileID, line)
        let access = WatchedAccess(.write, at: site, ledger, isTask: true)
        defer { access.end() }
        return try await database.write { db in try access.run(updates, db) }
    }

    /// Uses the writing connection without a transaction and blocks the thread, like GRDB's
    /// `writeWithoutTransaction`.
    ///
    /// - Throws: The error that `updates` throws.
    public func writeWithoutTransaction<T>(
        as label: String? = nil,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ updates: (Database) throws -> T
    ) rethrows -> T {
        let access = WatchedAccess(.write, at: CallSite(label, fileID, line), ledger)
        defer { access.end() }
        return try database.writeWithoutTransaction { db in try access.run(updates, db) }
    }

    /// Uses the writing connection without a transaction and without blocking the thread, like
    /// GRDB's `writeWithoutTransaction`.
    ///
    /// - Throws: The error that `updates` throws, `DatabaseError`, and `CancellationError`.
    public func writeWithoutTransaction<T: Sendable>(
        as label: String? = nil,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ updates: @Sendable (Database) throws -> T
    ) async throws -> T {
        let site = CallSite(label, fileID, line)
        let access = WatchedAccess(.write, at: site, ledger, isTask: true)
        defer { access.end() }
        return try await database.writeWithoutTransaction { db in try access.run(updates, db) }
    }
}
#endif
