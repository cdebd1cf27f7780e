/// A check for which connections the calling thread may use.
///
/// A thread may use a connection only inside the closure of an access to that connection.
final class SchedulingWatchdog: Sendable {
    private static let shared = SchedulingWatchdog()

    private init() {}

    /// The watchdog, or `nil` if the calling thread is not inside an access.
    static var current: SchedulingWatchdog? {
        ThreadState.current.pointee.innermost == nil ? nil : shared
    }

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
    /// Stops the program if the calling thread is not inside an access to this connection.
    ///
    /// No other check prevents two threads from using the connection simultaneously.
    @inline(__always)
    func preconditionRightThread() {
        // A connection that is being opened has no slot yet.
        guard let slot else { return }
        if slot._withUnsafeGuaranteedRef({ $0.thread }) != ThreadState.current {
            preconditionCallersThread(slot)
        }
    }

    /// Stops the program unless the connection belongs to a thread that waits for the calling
    /// thread.
    ///
    /// When an access runs on a dispatch queue, its enclosing accesses stay on the calling thread.
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
