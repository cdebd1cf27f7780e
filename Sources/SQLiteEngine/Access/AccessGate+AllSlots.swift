import Telemetry

/// How all connections of one gate are taken, or a certain one.
extension AccessGate {
    /// Runs `body` while every slot is held: running accesses are awaited, new ones kept out.
    ///
    /// All who want them all take them in the same order, so that two never wait for each other.
    /// With a pool's readers that is not enough: see
    /// ``withAllConnections(_:_:readers:_:)``.
    ///
    /// When the caller has `reserved` a slot of another gate, it is known to be held meanwhile.
    ///
    /// - Throws: The error that `body` throws; `SQLITE_MISUSE` when the gate is closed, and `SQLITE_LOCKED`
    ///   when the wait for a slot would be a deadlock.
    func withAllSlots<T>(
        _ thread: UnsafeMutablePointer<ThreadState>,
        _ site: AccessSite,
        reserved: AccessSlot? = nil,
        _ body: ([AccessSlot]) throws -> T
    ) throws -> T {
        let held = try takeAll(thread, site, reserved)
        return try using(held, thread, site, body)
    }

    /// Like ``withAllSlots(_:_:_:)``, but does nothing when the gate is closed by then.
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
            for slot in held { giveBack(slot) }
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
        defer { for slot in held { giveBack(slot) } }
        // An access of this thread would wait for itself: it finds itself inside this one.
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

    /// Takes one certain slot, open or not.
    ///
    /// - Parameters:
    ///   - slot: The slot.
    ///   - thread: The calling thread.
    ///   - site: The access.
    ///   - held: The slots that the access has acquired so far.
    ///   - reserved: A slot that the access has reserved.
    /// - Throws: `SQLITE_MISUSE` when the gate is closed, and `SQLITE_LOCKED` when the wait would be
    ///   a deadlock.
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
