import Telemetry

extension AccessGate {
    /// Runs `body` while holding every slot.
    ///
    /// This method waits for running accesses and blocks new ones.
    ///
    /// All callers acquire the slots in the same order, so two callers never wait for each other.
    /// For a pool's readers, this order is not sufficient; see
    /// ``withAllConnections(_:_:readers:_:)``.
    ///
    /// `reserved` is a slot that the caller has reserved in another gate. Deadlock detection treats
    /// the slot as held during the wait.
    ///
    /// - Throws: The error that `body` throws, `SQLITE_MISUSE` if the gate is closed, and
    ///   `SQLITE_LOCKED` if the wait for a slot would be a deadlock.
    func withAllSlots<T>(
        _ thread: UnsafeMutablePointer<ThreadState>,
        _ site: AccessSite,
        reserved: AccessSlot? = nil,
        _ body: ([AccessSlot]) throws -> T
    ) throws -> T {
        let held = try takeAll(thread, site, reserved)
        return try using(held, thread, site, body)
    }

    /// Runs `body` while holding every slot, unless the gate closes during the wait.
    func withAllSlotsUnlessClosed(
        _ thread: UnsafeMutablePointer<ThreadState>,
        _ site: AccessSite,
        _ body: ([AccessSlot]) throws -> Void
    ) throws {
        let held: [AccessSlot]
        do {
            held = try takeAll(thread, site)
        } catch {
            if isClosed { return }
            throw error
        }
        try using(held, thread, site, body)
    }

    private func takeAll(
        _ thread: UnsafeMutablePointer<ThreadState>,
        _ site: AccessSite,
        _ reserved: AccessSlot? = nil
    ) throws -> [AccessSlot] {
        var held: [AccessSlot] = []
        do {
            for slot in slots {
                try take(slot, thread, site, holding: held, reserved)
                held.append(slot)
                slot.database?.endKeptTransaction()
            }
        } catch {
            for slot in held { returnSlot(slot) }
            throw error
        }
        return held
    }

    private func using<T>(
        _ held: [AccessSlot],
        _ thread: UnsafeMutablePointer<ThreadState>,
        _ site: AccessSite,
        _ body: ([AccessSlot]) throws -> T
    ) throws -> T {
        defer { for slot in held { returnSlot(slot) } }
        // Marks the access so that a nested access on this thread is detected as reentrant.
        let mark = held.first { $0.database != nil } ?? held[0]
        mark.outer = thread.pointee.innermost
        mark.thread = thread
        mark.site = site
        thread.pointee.innermost = Unmanaged.passUnretained(mark)
        defer {
            thread.pointee.innermost = mark.outer
            mark.outer = nil
        }
        let others = held.filter { $0 !== mark }
        return try holding(others, thread, site) { try body(held) }
    }

    /// Acquires one specific slot, with or without a connection.
    ///
    /// `held` contains the slots that the access has already acquired. `reserved` is the slot that
    /// the access has reserved in another gate.
    ///
    /// - Throws: `SQLITE_MISUSE` if the gate is closed, and `SQLITE_LOCKED` if the wait would be a
    ///   deadlock.
    func take(
        _ slot: AccessSlot,
        _ thread: UnsafeMutablePointer<ThreadState>,
        _ site: AccessSite,
        holding held: [AccessSlot] = [],
        _ reserved: AccessSlot? = nil
    ) throws {
        if slot.claimIdle() || slot.claimClosed() { return }
        let waiter = Waiter(
            site: site,
            intent: .write,
            sleeper: .thread(thread.pointee.parker),
            since: monotonicNanoseconds(),
            wanted: slot,
            holdings: thread.pointee.holdings + Holding.all(held, reserved, site)
        )
        _ = try waitInThread(waiter)
    }
}
