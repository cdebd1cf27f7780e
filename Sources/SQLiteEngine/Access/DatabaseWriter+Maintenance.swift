extension DatabaseWriter {
    /// Removes all tables and other objects from the database, while no read is running.
    ///
    /// - Throws: A ``DatabaseError``.
    public func erase(fileID: StaticString = #fileID, line: UInt = #line) throws {
        let site = AccessSite(fileID: fileID, line: line)
        try barrierWriteWithoutTransaction(at: site) { try $0.erase() }
    }

    /// Removes all tables and other objects from the database, without blocking the thread.
    ///
    /// - Throws: A ``DatabaseError``, and `CancellationError`.
    public func erase(fileID: StaticString = #fileID, line: UInt = #line) async throws {
        let site = AccessSite(fileID: fileID, line: line)
        try await barrierWriteWithoutTransaction(at: site) { try $0.erase() }
    }

    /// Rebuilds the database file to minimize its size.
    ///
    /// - Throws: A ``DatabaseError``.
    public func vacuum(fileID: StaticString = #fileID, line: UInt = #line) throws {
        let site = AccessSite(fileID: fileID, line: line)
        try writeWithoutTransaction(at: site) { try $0.execute(sql: "VACUUM") }
    }

    /// Rebuilds the database file to minimize its size, without blocking the thread.
    ///
    /// - Throws: A ``DatabaseError``, and `CancellationError`.
    public func vacuum(fileID: StaticString = #fileID, line: UInt = #line) async throws {
        let site = AccessSite(fileID: fileID, line: line)
        try await writeWithoutTransaction(at: site) { try $0.execute(sql: "VACUUM") }
    }

    /// Writes a minimal-size copy of the database to a file.
    ///
    /// The file must not exist, or must be empty.
    ///
    /// - Throws: A ``DatabaseError``.
    public func vacuum(
        into filePath: String,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws {
        let site = AccessSite(fileID: fileID, line: line)
        try writeWithoutTransaction(at: site) { try $0.vacuum(into: filePath) }
    }

    /// Writes a minimal-size copy of the database to a file, without blocking the thread.
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
