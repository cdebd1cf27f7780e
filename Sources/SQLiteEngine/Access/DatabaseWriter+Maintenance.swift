/// What is done to a whole database.
extension DatabaseWriter {
    /// Removes all tables and all else that is in the database, while nobody reads.
    ///
    /// - Throws: A ``DatabaseError``.
    public func erase(fileID: StaticString = #fileID, line: UInt = #line) throws {
        let site = AccessSite(fileID: fileID, line: line)
        try barrierWriteWithoutTransaction(at: site) { try $0.erase() }
    }

    /// Removes all tables and all else that is in the database, without blocking the thread.
    ///
    /// - Throws: A ``DatabaseError``, and `CancellationError`.
    public func erase(fileID: StaticString = #fileID, line: UInt = #line) async throws {
        let site = AccessSite(fileID: fileID, line: line)
        try await barrierWriteWithoutTransaction(at: site) { try $0.erase() }
    }

    /// Rebuilds the database file, so that it takes no more room than it must.
    ///
    /// - Throws: A ``DatabaseError``.
    public func vacuum(fileID: StaticString = #fileID, line: UInt = #line) throws {
        let site = AccessSite(fileID: fileID, line: line)
        try writeWithoutTransaction(at: site) { try $0.execute(sql: "VACUUM") }
    }

    /// Rebuilds the database file, without blocking the thread.
    ///
    /// - Throws: A ``DatabaseError``, and `CancellationError`.
    public func vacuum(fileID: StaticString = #fileID, line: UInt = #line) async throws {
        let site = AccessSite(fileID: fileID, line: line)
        try await writeWithoutTransaction(at: site) { try $0.execute(sql: "VACUUM") }
    }

    /// Writes a copy of the database that takes no more room than it must.
    ///
    /// - Parameters:
    ///   - filePath: The path of the copy; there must be no such file, or an empty one.
    ///   - fileID: The file that `status()` shows as the holder.
    ///   - line: The line that `status()` shows as the holder.
    /// - Throws: A ``DatabaseError``.
    public func vacuum(
        into filePath: String,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws {
        let site = AccessSite(fileID: fileID, line: line)
        try writeWithoutTransaction(at: site) { try $0.vacuum(into: filePath) }
    }

    /// Writes a copy of the database that takes no more room than it must, without blocking the
    /// thread.
    ///
    /// - Throws: A ``DatabaseError``, and `CancellationError`.
    public func vacuum(
        into filePath: String,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) async throws {
        let site = AccessSite(fileID: fileID, line: line)
        try await writeWithoutTransaction(at: site) { try $0.vacuum(into: filePath) }
    }
}

extension Database {
    fileprivate func vacuum(into filePath: String) throws {
        try execute(sql: "VACUUM INTO ?", arguments: [filePath])
    }
}
