import Foundation

/// The state that the engine keeps for each thread: the accesses that enclose the current code, and
/// the connection that the thread used last.
struct ThreadState {
    /// The innermost access of this thread.
    ///
    /// ``AccessSlot/outer`` is the enclosing access.
    var innermost: Unmanaged<AccessSlot>?
    /// The innermost slot that the thread holds without being inside its access.
    ///
    /// For example, the thread may be opening the slot's connection. ``AccessSlot/outer`` is the
    /// next such slot.
    var held: Unmanaged<AccessSlot>?
    /// The identity of the gate that `hint` refers to.
    var hintGate: UInt = 0
    /// The index of the slot that the thread used last.
    ///
    /// The current core's cache probably contains the slot's pages.
    var hint = 0
    var broker: Unmanaged<ObservationBroker>?
    /// The thread that waits for this thread's work on a dispatch queue from the configuration.
    var caller: UnsafeMutablePointer<ThreadState>?
    /// The slot that a task's access is releasing, so that this thread can run the next task.
    var releasingSlot: Unmanaged<AccessSlot>?
    /// The next task's access, retained.
    var successor: Unmanaged<TaskAccess>?
    let parker = Parker()

    // Uses pthread keys, because Swift has no thread-local variables.
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key) { pointer in
            #if canImport(Darwin)
            let state = pointer.assumingMemoryBound(to: ThreadState.self)
            #else
            guard let state = pointer?.assumingMemoryBound(to: ThreadState.self) else { return }
            #endif
            state.deinitialize(count: 1)
            state.deallocate()
        }
        return key
    }()

    /// The state of the calling thread, which exists until the thread ends.
    @inline(__always)
    static var current: UnsafeMutablePointer<ThreadState> {
        if let state = pthread_getspecific(key) {
            return state.assumingMemoryBound(to: ThreadState.self)
        }
        return make()
    }

    @inline(never)
    private static func make() -> UnsafeMutablePointer<ThreadState> {
        let state = UnsafeMutablePointer<ThreadState>.allocate(capacity: 1)
        state.initialize(to: ThreadState())
        pthread_setspecific(key, state)
        return state
    }

    @inline(__always)
    func access(through gate: AccessGate) -> AccessSlot? {
        var next = innermost
        while let slot = next?.takeUnretainedValue() {
            if slot.gate == gate.identity { return slot }
            next = slot.outer
        }
        return nil
    }

    /// Returns the connection of the innermost access on this thread that satisfies a condition.
    ///
    /// The search includes the accesses of threads that wait for this thread's work on a dispatch
    /// queue from the configuration.
    func firstDatabase(where condition: (Database) -> Bool) -> Database? {
        var next = innermost
        while let slot = next?.takeUnretainedValue() {
            if let database = slot.database, condition(database) { return database }
            next = slot.outer
        }
        return caller?.pointee.firstDatabase(where: condition)
    }
}

extension ThreadState {
    /// Whether the thread holds a slot or works for a thread that does.
    var holdsSlots: Bool { innermost != nil || held != nil || caller != nil }

    /// The slots that the thread holds, innermost first, followed by the slots of the threads that
    /// wait for this thread's queue work.
    var holdings: [AccessGate.Holding] {
        var holdings: [AccessGate.Holding] = []
        for start in [innermost, held] {
            var next = start
            while let slot = next?.takeUnretainedValue() {
                holdings.append(AccessGate.Holding(slot: slot, site: slot.site))
                next = slot.outer
            }
        }
        return holdings + (caller?.pointee.holdings ?? [])
    }

    /// Returns whether this thread, or a thread that waits for this thread's queue work, is inside
    /// an access to `gate`.
    func isInside(_ gate: AccessGate) -> Bool {
        access(through: gate) != nil || caller?.pointee.isInside(gate) == true
    }
}
