extension DatabasePool {
    /// Releases memory and closes the readers, blocking the thread until the running accesses end.
    ///
    /// With ``Configuration/persistentReadOnlyConnections``, the readers stay open. If waiting for
    /// the running accesses would cause a deadlock, this method releases nothing.
    public func releaseMemory(fileID: StaticString = #fileID, line: UInt = #line) {
        let site = AccessSite(fileID: fileID, line: line)
        let thread = ThreadState.current
        readers.preconditionNotReentrant(thread)
        writer.preconditionNotReentrant(thread)
        do {
            try writer.withAllConnections(thread, site, readers: readers) { slot, readerSlots in
                defer { writer.returnSlot(slot) }
                slot.database?.releaseMemory()
                for slot in readerSlots {
                    if configuration.persistentReadOnlyConnections {
                        slot.database?.releaseMemory()
                    } else {
                        slot.uninstall()?.closeIgnoringErrors()
                    }
                }
            }
        } catch {
            // The pool is closed and holds no memory, or waiting would cause a deadlock.
        }
    }

    /// Schedules the release of memory and the closing of the readers, and returns immediately.
    ///
    /// Each connection releases its memory or closes when no access uses the connection. With
    /// ``Configuration/persistentReadOnlyConnections``, the readers stay open.
    public func releaseMemoryEventually(fileID: StaticString = #fileID, line: UInt = #line) {
        let site = AccessSite(fileID: fileID, line: line)
        if configuration.persistentReadOnlyConnections {
            readers.withEachConnectionEventually(site) { $0.releaseMemory() }
        } else {
            readers.closeConnectionsEventually(site)
        }
        asyncWriteWithoutTransaction(at: site) { $0.releaseMemory() }
    }

    /// Closes each reader as soon as no access uses the reader, without blocking the thread.
    ///
    /// Later accesses open new readers. Call this method after a change that affects only new
    /// connections, such as a change to a function in the configuration.
    public func invalidateReadOnlyConnections(
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) {
        readers.closeConnectionsEventually(AccessSite(fileID: fileID, line: line))
    }
}
