/// Determines which connections the calling thread may use.
///
/// A connection may be used only in the closures of accesses that the thread is inside.
final class SchedulingWatchdog: Sendable {
    private static let shared = SchedulingWatchdog()

    private init() {}

    /// The watchdog of a thread that is inside an access; nil elsewhere.
    static var current: SchedulingWatchdog? {
        ThreadState.current.pointee.innermost == nil ? nil : shared
    }

    /// Whether the calling thread is inside an access to a connection.
    func allows(_ db: Database) -> Bool {
        var next = ThreadState.current.pointee.innermost
        while let slot = next?.takeUnretainedValue() {
            if slot.database === db { return true }
            next = slot.outer
        }
        return false
    }
}

extension Database {
    /// Stops the program when the calling thread has no access to this connection.
    ///
    /// No other check prevents two threads from using it simultaneously.
    @inline(__always)
    func preconditionRightThread() {
        // A connection that is being opened has no slot yet.
        guard let slot else { return }
        if slot._withUnsafeGuaranteedRef({ $0.thread }) != ThreadState.current {
            preconditionCallersThread(slot)
        }
    }

    /// When an inner access runs on a queue, the outer accesses stay with the calling thread.
    @inline(never)
    private func preconditionCallersThread(_ slot: Unmanaged<AccessSlot>) {
        let owner = slot._withUnsafeGuaranteedRef { $0.thread }
        var thread = ThreadState.current.pointee.caller
        while let caller = thread {
            if caller == owner { return }
            thread = caller.pointee.caller
        }
        fatalError("Database was not used on the correct thread.")
    }
}
