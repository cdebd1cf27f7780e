import Telemetry

extension DatabasePool {
    /// Creates a snapshot of the last committed state on a separate connection.
    ///
    /// Calling this method inside a write transaction of this pool is a fatal error. `status()`
    /// shows `label` for the snapshot, or the file and line of the call.
    ///
    /// - Throws: A ``DatabaseError``.
    public func makeSnapshot(
        as label: AccessLabel? = nil,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws -> DatabaseSnapshot {
        let site = AccessSite(label, fileID: fileID, line: line)
        if let slot = ThreadState.current.pointee.access(through: writer) {
            requirement(
                !slot.openDatabase.isInsideTransaction,
                "makeSnapshot() must not be called from inside a transaction."
            )
        }
        if writer.isClosed { throw DatabaseError.connectionIsClosed() }
        try file.check()
        return try snapshots.make { number in
            try DatabaseSnapshot(
                path: path,
                configuration: configuration,
                label: "\(self.label).snapshot.\(number)",
                site: site,
                events: writer.events
            )
        }
    }

    /// Creates a snapshot of the last committed state on several connections.
    ///
    /// Inside a read, the snapshot reads the same state as the read, which must still be the last
    /// committed state.
    ///
    /// - Throws: `SQLITE_ERROR` inside a write transaction, inside a read of an earlier state, or
    ///   on a read-only pool; otherwise, another ``DatabaseError``.
    public func makeSnapshotPool(
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws -> DatabaseSnapshotPool {
        let site = AccessSite(fileID: fileID, line: line)
        let thread = ThreadState.current.pointee
        try file.check()
        return try snapshots.make { _ in
            if let slot = thread.access(through: readers) ?? thread.access(through: writer) {
                return try DatabaseSnapshotPool(
                    slot.openDatabase,
                    configuration,
                    site,
                    events: writer.events
                )
            }
            // Acquire the writer, so that this access waits for a write in the same pool instead of
            // competing for the lock.
            return try writeWithoutTransaction(at: site) { db in
                try DatabaseSnapshotPool(db, configuration, site, events: writer.events)
            }
        }
    }
}
