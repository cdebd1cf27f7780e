/// Releases an open pool's memory and locks.
extension DatabasePool {
    /// Releases as much memory as possible and closes the readers, blocking the thread until the
    /// running accesses end.
    ///
    /// With ``Configuration/persistentReadOnlyConnections``, the readers stay open. If waiting for
    /// the running accesses would be a deadlock, nothing is released.
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
            // The pool is closed and holds no memory, or waiting would be a deadlock.
        }
    }

    /// Releases as much memory as possible and closes the readers, without blocking the thread.
    ///
    /// The method returns immediately. Each connection that is in use releases its memory or closes
    /// after the access that uses it ends.
    ///
    /// With ``Configuration/persistentReadOnlyConnections``, the readers stay open.
    public func releaseMemoryEventually(fileID: StaticString = #fileID, line: UInt = #line) {
        let site = AccessSite(fileID: fileID, line: line)
        if configuration.persistentReadOnlyConnections {
            readers.withEachConnectionEventually(site) { $0.releaseMemory() }
        } else {
            readers.closeConnectionsEventually(site)
        }
        asyncWriteWithoutTransaction(at: site) { $0.releaseMemory() }
    }

    /// Closes each reader after the access that uses it ends, and returns immediately.
    ///
    /// Later accesses open new readers. Call this method after a change that affects only new
    /// connections, such as a change to a function in the configuration.
    public func invalidateReadOnlyConnections(
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) {
        readers.closeConnectionsEventually(AccessSite(fileID: fileID, line: line))
    }

    // MARK: Suspension

    /// Refuses new locks, interrupts the writer, and ends the read transactions that idle readers
    /// keep.
    ///
    /// In WAL mode, reads continue: they acquire no lock for which other processes wait, and they
    /// hold their locks only during the access.
    func suspend() {
        guard suspension.begin() else { return }
        readers.forbidKeeping()
        if !configuration.readonly { interrupts.interrupt(writer.slots) }
    }

    /// Ends the suspension.
    func resume() {
        if suspension.end() { readers.allowKeeping() }
    }
}
