import Findings
import Telemetry

/// The information that workers need to classify `SQLITE_BUSY` failures and find the lock
/// holders.
final class BusyRecord: Sendable {
    let ledger = BusyLedger()
    /// The busy timeout of connections that write, in nanoseconds, or `nil` if unknown.
    let timeout: UInt64?
    private let isWAL: Bool
    private let target: any WorkloadTarget
    private let recorders = Lock<[(client: String, recorder: WorkerRecorder)]>([])

    init(_ arm: Arm, on target: any WorkloadTarget) {
        timeout = arm.writerTimeout?.wholeNanoseconds
        isWAL = arm.isWAL
        self.target = target
    }

    func add(_ recorder: WorkerRecorder, of client: String) {
        recorders.withLock { $0.append((client, recorder)) }
    }

    func writingClient() -> String? { target.writingClient }

    /// Returns the client whose access has been running the longest, or `nil` if no access can be
    /// the cause.
    ///
    /// Any access can block a checkpoint. With a rollback journal, any access can also block a
    /// commit, because each access holds at least a shared lock
    /// (<https://sqlite.org/lockingv3.html>).
    func longestRunning(except recorder: WorkerRecorder, _ cause: BusyCause) -> String? {
        guard cause == .checkpoint || (cause == .timeout && !isWAL) else { return nil }
        return recorders.withLock { recorders in
            recorders.filter { $0.recorder !== recorder }
                .compactMap { entry in entry.recorder.runningSince.map { (entry.client, $0) } }
                .min { $0.1 < $1.1 }?.0
        }
    }
}

extension Arm {
    /// The busy timeout of a connection that writes, or `nil` if a pragma sets an invalid timeout.
    var writerTimeout: Duration? {
        let pragma = pragmas.last { $0.name.lowercased() == "busy_timeout" }
        if let pragma { return Int64(pragma.value).map { .milliseconds(max(0, $0)) } }
        if driver != nil { return busyTimeout }
        return busyTimeout ?? (library == .raw ? .seconds(10) : .zero)
    }
}

/// The reason that a database was busy.
public typealias BusyCause = Findings.BusyCause

extension BusyCause {
    /// Classifies a failure, or returns `nil` if its code is not `SQLITE_BUSY`.
    ///
    /// If SQLite returns a plain `SQLITE_BUSY` without calling the busy handler, a read
    /// transaction tried to write. SQLite skips the handler to avoid a deadlock, both in WAL mode
    /// and with a rollback journal (<https://sqlite.org/c3ref/busy_handler.html>).
    ///
    /// The arm's `timeout`, in nanoseconds, applies if the handler does not report its timeout.
    init?(code: String, handler: BusyFailure.Handler, timeout: UInt64?) {
        switch (code, handler) {
        case ("SQLITE_BUSY_SNAPSHOT", _): self = .snapshotUpgrade
        case ("SQLITE_BUSY_RECOVERY", _): self = .recovery
        case (let code, _) where !code.hasPrefix("SQLITE_BUSY"): return nil
        case (_, .skipped): self = .snapshotUpgrade
        case (_, .gaveUp(_, let limit)): self = (limit ?? timeout) == 0 ? .noTimeout : .timeout
        case (_, .unknown): self = timeout == 0 ? .noTimeout : .timeout
        }
    }
}
