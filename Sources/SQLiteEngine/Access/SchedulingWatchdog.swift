/// Knows which connections the calling thread may use.
///
/// A connection belongs to the closures of the accesses that the thread is inside of.
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
