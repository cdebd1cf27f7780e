import Telemetry

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

extension AccessGate {
    /// Schedules each connection to close as soon as the connection is free.
    func closeConnectionsEventually(_ site: AccessSite) {
        for slot in slots where slot.isOpen || slot.isTaken {
            _ = acquire(site, .maintenance, wanted: slot) { [self] result in
                guard case .success(let slot) = result else { return }
                slot.uninstall()?.closeIgnoringErrors()
                returnSlot(slot)
            }
        }
    }

    /// Schedules `body` to run on each open connection as soon as the connection is free.
    func withEachConnectionEventually(
        _ site: AccessSite,
        _ body: @escaping @Sendable (Database) -> Void
    ) {
        for slot in slots where slot.isOpen {
            _ = acquire(site, .maintenance, wanted: slot) { [self] result in
                guard case .success(let slot) = result else { return }
                slot.executor.async { [self] in
                    if let database = slot.database { body(database) }
                    returnSlot(slot)
                }
            }
        }
    }

    /// Closes all open connections after the last reference to the database is released.
    ///
    /// At this point, no access can run. A thread that ends kept transactions or releases memory
    /// may still hold a slot briefly.
    func shutDown() {
        for slot in slots {
            while !slot.claimIdle(), !slot.claimClosed() {
                if slot.isRetired { break }
                sched_yield()
            }
            slot.uninstall()?.closeIgnoringErrors()
        }
        retire()
        for slot in slots { slot.giveUp(AccessSlot.State.retired) }
    }

    /// Rejects all future accesses.
    ///
    /// Waiting accesses throw `SQLITE_MISUSE`. The caller must hold all slots.
    func retire() {
        let waiters = queue.withLock { queue in
            queue.isClosed = true
            let waiters = queue.removeAll(at: monotonicNanoseconds())
            conditions.wrappingSubtract(waiters.count, ordering: .sequentiallyConsistent)
            return waiters
        }
        for waiter in waiters {
            waiting.end(waiter)
            wake(waiter, with: .failure(DatabaseError.connectionIsClosed()))
        }
    }
}
