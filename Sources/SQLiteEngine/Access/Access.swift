import Telemetry

extension AccessGate {
    /// Acquires a connection for the calling thread and enters the access.
    ///
    /// The thread must not already be inside an access to this gate.
    @inline(__always)
    func enter(
        _ thread: UnsafeMutablePointer<ThreadState>,
        _ site: AccessSite,
        _ intent: Waiter.Intent
    ) throws -> AccessSlot {
        let slot = try acquire(thread, site, intent)
        enter(slot, thread, site)
        return slot
    }

    /// Enters an access on a slot that the caller holds.
    @inline(__always)
    func enter(
        _ slot: AccessSlot,
        _ thread: UnsafeMutablePointer<ThreadState>,
        _ site: AccessSite
    ) {
        slot.outer = thread.pointee.innermost
        slot.thread = thread
        slot.site = site
        thread.pointee.innermost = Unmanaged.passUnretained(slot)
        slot.probe.beginAccess(site)
        readers?.forbidKeeping()
    }

    /// Leaves the access and releases the connection.
    ///
    /// `end` is a monotonic time in nanoseconds. Pass 0 to read the clock.
    @inline(__always)
    func leave(_ slot: AccessSlot, at end: UInt64 = 0) {
        leaveKeepingSlot(slot, at: end)
        release(slot)
    }

    /// Leaves an access that may have closed its connection.
    func leaveOpenOrClosed(_ slot: AccessSlot) {
        leaveKeepingSlot(slot)
        if slot.database == nil { returnSlot(slot) } else { release(slot) }
    }

    @inline(__always)
    func leave(_ database: Database, at end: UInt64 = 0) {
        guard let slot = database.slot else {
            fatalError("A database access ended on a closed connection.")
        }
        slot._withUnsafeGuaranteedRef { leave($0, at: end) }
    }

    @inline(__always)
    func leaveKeepingSlot(_ slot: AccessSlot, at end: UInt64 = 0) {
        slot.thread?.pointee.innermost = slot.outer
        slot.outer = nil
        // Clears the owner so that the next check detects any later use of the connection.
        slot.thread = nil
        slot.reviewIfExposed()
        readers?.allowKeeping()
        slot.probe.endAccess(at: end)
    }

    /// Detaches an access from `thread` so that another thread can continue it.
    func detach(_ slot: AccessSlot, from thread: UnsafeMutablePointer<ThreadState>) {
        thread.pointee.innermost = slot.outer
        slot.outer = nil
        slot.thread = nil
    }

    func attach(_ slot: AccessSlot, to thread: UnsafeMutablePointer<ThreadState>) {
        slot.outer = thread.pointee.innermost
        slot.thread = thread
        thread.pointee.innermost = Unmanaged.passUnretained(slot)
    }

    /// Runs `body` while `thread` holds slots without being inside an access.
    ///
    /// Deadlock detection includes these slots; reentrancy checks do not.
    func holding<T, E: Error>(
        _ slots: some Sequence<AccessSlot>,
        _ thread: UnsafeMutablePointer<ThreadState>,
        _ site: AccessSite,
        _ body: () throws(E) -> T
    ) throws(E) -> T {
        let outermost = thread.pointee.held
        for slot in slots {
            slot.site = site
            slot.outer = thread.pointee.held
            thread.pointee.held = Unmanaged.passUnretained(slot)
        }
        defer {
            thread.pointee.held = outermost
            for slot in slots { slot.outer = nil }
        }
        return try body()
    }

    /// Runs `body` on the connection's dispatch queue if the user has set a target queue.
    ///
    /// The queue may use a different thread. For example, the main queue uses the main thread.
    @usableFromInline
    func runOnQueue<T, E: Error>(
        _ database: Database,
        _ body: (Database) throws(E) -> T
    ) throws(E) -> T {
        guard let slot = database.slot?.takeUnretainedValue() else { return try body(database) }
        let caller = ThreadState.current
        return try slot.executor.sync { () throws(E) -> T in
            let thread = ThreadState.current
            guard thread != caller else { return try body(database) }
            detach(slot, from: caller)
            attach(slot, to: thread)
            let outerCaller = thread.pointee.caller
            thread.pointee.caller = caller
            defer {
                thread.pointee.caller = outerCaller
                detach(slot, from: thread)
                attach(slot, to: caller)
            }
            return try body(database)
        }
    }

    /// Stops the program if the thread is already inside an access to this gate, because the new
    /// access would wait for the enclosing one.
    @inline(__always)
    func preconditionNotReentrant(_ thread: UnsafeMutablePointer<ThreadState>) {
        guard thread.pointee.innermost != nil else { return }
        requirement(
            thread.pointee.access(through: self) == nil,
            "Database methods are not reentrant."
        )
    }
}

extension AccessSlot {
    /// The slot's connection, which must be open.
    @inline(__always)
    var openDatabase: Database {
        guard let database else { fatalError("The connection \(label) is not open.") }
        return database
    }
}
