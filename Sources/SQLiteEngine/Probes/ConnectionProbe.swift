import CSQLite
import Synchronization
import Telemetry

/// What others may see of a connection while it works.
///
/// The thread that holds the connection writes; any thread reads. Every field is an atomic of its
/// own with relaxed order, because a status may mix two neighbouring moments but never waits.
final class ConnectionProbe: Sendable {
    /// Whether a statement is inside `sqlite3_step`: its number, or 0.
    let runningStatement = Atomic<UInt64>(0)

    /// Called right before the steps of an execution.
    @inline(__always)
    func beginStep(_ number: UInt64) { runningStatement.store(number, ordering: .relaxed) }

    /// Called right after a step.
    @inline(__always)
    func endStep() { runningStatement.store(0, ordering: .relaxed) }

    /// Registers the SQL of a statement; the number names it in ``beginStep(_:)``.
    func register(sql: String) -> UInt64 { 1 }

    /// Forgets a statement that is finalized.
    func unregister(_ number: UInt64) {}

    /// Counts a failed step.
    func didFail(_ code: CInt) {}

    /// Sets how the connection meets a lock.
    func install(busyMode: Database.BusyMode, on handle: OpaquePointer?) {}
}
