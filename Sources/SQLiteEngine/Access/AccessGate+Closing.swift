import Telemetry

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// How connections are closed while the gate goes on, and when nobody needs it any more.
extension AccessGate {
    /// Closes each connection as soon as the access that uses it has ended, without waiting.
    func closeConnectionsEventually(_ site: AccessSite) {
        for slot in slots where slot.isOpen || slot.isTaken {
            _ = acquire(site, .maintenance, wanted: slot) { [self] result in
                guard case .success(let slot) = result else { return }
                slot.uninstall()?.closeIgnoringErrors()
                giveBack(slot)
            }
        }
    }

    /// Runs `body` on each connection that is open, when the access that uses it has ended.
    func withEachConnectionEventually(
        _ site: AccessSite,
        _ body: @escaping @Sendable (Database) -> Void
    ) {
        for slot in slots where slot.isOpen {
            _ = acquire(site, .maintenance, wanted: slot) { [self] result in
                guard case .success(let slot) = result else { return }
                slot.executor.async { [self] in
                    if let database = slot.database { body(database) }
                    giveBack(slot)
                }
            }
        }
    }

    /// Closes what is open, now that the last reference to the database is gone.
    ///
    /// No access can run any more. Who looks after kept transactions, or releases memory, may be
    /// at a slot, for a moment.
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

    /// Refuses all further accesses, and those who wait throw.
    ///
    /// The caller holds all slots.
    func retire() {
        let waiters = queue.withLock { queue in
            queue.isClosed = true
            let waiters = queue.removeAll(at: monotonicNanoseconds())
            attention.wrappingSubtract(waiters.count, ordering: .sequentiallyConsistent)
            return waiters
        }
        for waiter in waiters {
            waiting.end(waiter.intent)
            wake(waiter, with: .failure(DatabaseError.connectionIsClosed()))
        }
    }
}
