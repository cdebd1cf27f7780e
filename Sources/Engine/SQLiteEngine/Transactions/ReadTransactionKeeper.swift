import CSQLite
import Foundation
import Synchronization
import Telemetry

/// The policy that determines when a gate's connections keep their read transactions between
/// accesses.
///
/// A timer ends kept transactions that no access continues.
///
/// A connection that is idle and keeps its transaction is in the state
/// ``AccessSlot/State/keeping``. A transaction is kept only while all of the following conditions
/// hold:
/// - Accesses follow each other within ``EngineTimings/longestKeptGap``, and the transaction has
///   been kept for at most ``EngineTimings/longestKept``.
/// - The transaction reads the last committed state. This condition is checked again before the
///   first statement of each access.
/// - The writer of this process is idle. The writer ends kept transactions before it starts
///   (``AccessGate/forbidKeeping()``), so that they do not delay its checkpoints or the restart of
///   the log.
/// - No other process writes. If a kept transaction is outdated even though no writer in this
///   process was active, another process has committed. No transaction is then kept for ``pause``.
///   While a checkpoint is pending after the pause, transactions are kept only in alternating
///   intervals (``EngineTimings/keepingTurn``) for a limited time
///   (``EngineTimings/foreignWriterMemory``), and are not kept if the log is long (``longLog``).
///   Otherwise, back-to-back reads would prevent the other process from copying and resetting its
///   log.
/// - No database is attached, because the main wal-index does not show commits to attached
///   databases.
/// - The timer (``EngineTimings/keptIdle``) has not expired while the connection was idle.
///
/// `@unchecked Sendable`: `timer` is set before a connection is opened, and any thread may use a
/// dispatch source. All other state is atomic.
final class ReadTransactionKeeper: @unchecked Sendable {
    /// The number of frames at which SQLite checkpoints a log by default
    /// (<https://sqlite.org/pragma.html#pragma_wal_autocheckpoint>).
    static let longLog: UInt32 = 1_000

    /// The value of ``EngineTimings/pauseAfterForeignCommit``, which tests can override.
    let pause = Atomic<UInt64>(EngineTimings.pauseAfterForeignCommit)

    /// The number of accesses that the writers of this process have started.
    let writes = Atomic<UInt64>(0)
    /// The time at which transactions may be kept again, in nanoseconds on the monotonic clock, or
    /// 0 if no other process has written to the current log.
    private let pausedUntil = Atomic<UInt64>(0)
    /// The generation of the log that another process has written to.
    private let foreignLog = Atomic<UInt32>(0)
    /// The value of ``EngineTimings/longestEnding``, which tests can override.
    let longestEnding = Atomic<UInt64>(EngineTimings.longestEnding)

    var isTimerSet: Bool { isArmed.load(ordering: .sequentiallyConsistent) }

    let expirations = Atomic<UInt64>(0)

    private let isArmed = Atomic<Bool>(false)
    private var timer: (any DispatchSourceTimer)?

    /// Whether the connections of the gate may keep transactions.
    var isOn: Bool { timer != nil }

    /// Allows a gate's connections to keep transactions.
    ///
    /// Call this method once, before a connection is opened.
    func start(for gate: AccessGate) {
        let timer = DispatchSource.makeTimerSource(
            flags: .strict,
            queue: DispatchQueue(label: "SQLiteEngine.keeper", qos: .userInitiated)
        )
        timer.setEventHandler { [weak gate] in gate?.endIdleTransactions() }
        timer.activate()
        self.timer = timer
    }

    deinit { timer?.cancel() }

    // MARK: Other processes

    /// Returns whether a transaction that started with `header` may be kept despite writes by other
    /// processes.
    @inline(__always)
    func mayKeep(
        _ header: poolgauge_wal_header,
        at now: UInt64,
        walIndex: UnsafeRawPointer?
    ) -> Bool {
        pausedUntil.load(ordering: .relaxed) == 0
            || mayKeepDespiteForeignWriter(header, at: now, walIndex: walIndex)
    }

    @inline(never)
    private func mayKeepDespiteForeignWriter(
        _ header: poolgauge_wal_header,
        at now: UInt64,
        walIndex: UnsafeRawPointer?
    ) -> Bool {
        let end = pausedUntil.load(ordering: .relaxed)
        guard now >= end, let walIndex else { return false }
        // Commits by other processes are detected only while a transaction is kept.
        let isRecent = now &- end < EngineTimings.foreignWriterMemory
        guard
            isRecent || poolgauge_wal_generation(header) == foreignLog.load(ordering: .relaxed)
        else {
            // The log has since been restarted, and no writes by other processes have been
            // detected.
            pausedUntil.store(0, ordering: .relaxed)
            return true
        }
        let frames = poolgauge_wal_frames(header)
        if poolgauge_wal_backfill(walIndex) == frames { return true }
        return frames < Self.longLog && (!isRecent || now & EngineTimings.keepingTurn == 0)
    }

    /// Records that another process has committed to the log that `header` describes.
    func recordForeignCommit(_ header: poolgauge_wal_header, at now: UInt64) {
        foreignLog.store(poolgauge_wal_generation(header), ordering: .relaxed)
        pausedUntil.store(now &+ pause.load(ordering: .relaxed), ordering: .relaxed)
    }

    // MARK: Timer

    /// Ensures that a newly kept transaction ends even if no access follows.
    ///
    /// Call this method after releasing the slot. If the timer is already set, its handler finds
    /// the slot. Otherwise, this call sets the timer.
    @inline(__always)
    func didKeep() {
        if !isArmed.load(ordering: .sequentiallyConsistent) { arm() }
    }

    @inline(never)
    private func arm() {
        guard !isArmed.exchange(true, ordering: .sequentiallyConsistent) else { return }
        timer?.schedule(
            deadline: .now() + .nanoseconds(Int(EngineTimings.keptIdle)),
            leeway: .nanoseconds(0)
        )
    }

    /// Records that the timer has expired.
    ///
    /// Call this method before searching the slots. A transaction that is kept later sets the timer
    /// again.
    func timerDidExpire() {
        expirations.wrappingAdd(1, ordering: .relaxed)
        isArmed.store(false, ordering: .sequentiallyConsistent)
    }
}
