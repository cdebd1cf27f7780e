/// Releases an open pool's memory and locks.
extension DatabasePool {
    /// Waits for running accesses, then releases as much of the connections' memory as possible and
    /// closes the readers, blocking the thread.
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

    /// Releases as much of the connections' memory as possible and closes the readers, each after
    /// the access that uses it ends, and returns immediately.
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
    /// connections, such as a change to one of the configuration's functions.
    public func invalidateReadOnlyConnections(
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) {
        readers.closeConnectionsEventually(AccessSite(fileID: fileID, line: line))
    }

    // MARK: Suspension

    /// Refuses locks from now on, interrupts the writer, and ends the read transactions that idle
    /// readers keep.
    ///
    /// In WAL mode, reads continue: they acquire no lock that other processes wait for, and hold
    /// their locks only during the access.
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
