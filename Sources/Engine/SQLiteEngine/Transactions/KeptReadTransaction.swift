import CSQLite
import Telemetry

/// The read transaction that one connection keeps open between accesses.
///
/// Starting and ending a read transaction costs more than a point read inside it, because SQLite
/// needs two system calls to lock and unlock a read mark. If nothing has been committed since the
/// last access, a new transaction would read the same state. The wal-index header shows whether
/// this is the case, because each commit by any process changes the header
/// (<https://sqlite.org/walformat.html>, section 2.1).
///
/// A kept transaction must have no observable effect: reads return the same data, other writers can
/// reset the log, and the process holds no lock while the database is suspended.
/// ``ReadTransactionKeeper`` lists the rules, and this structure applies them to one connection.
struct KeptReadTransaction {
    /// The age, in nanoseconds, above which a transaction is not kept again.
    ///
    /// The timer ends a kept transaction up to ``EngineTimings/keptIdle`` later.
    static var maximumKeepAge: UInt64 { EngineTimings.longestKept - EngineTimings.keptIdle }

    /// The wal-index in WAL mode, which ``Database/walIndex`` owns.
    var walIndex: UnsafeRawPointer?
    /// The keeper of the connection's gate, or `nil` if transactions are never kept.
    ///
    /// The keeper outlives the connection's accesses.
    var keeper: Unmanaged<ReadTransactionKeeper>?
    /// Whether the connection is idle inside a transaction.
    var isKept = false
    /// Whether an access has continued the transaction but has not run a statement yet.
    var isUnconfirmed = false
    /// Whether the access has used the C connection or a C statement.
    ///
    /// If so, the engine does not keep the transaction of the access.
    var isExposed = false
    /// Whether a database is attached to the connection.
    ///
    /// The main wal-index does not show commits to attached databases.
    var hasAttachedDatabase = false
    /// The wal-index header before the open transaction started.
    private(set) var header = poolgauge_wal_header()
    /// Whether ``header`` is valid.
    private(set) var hasHeader = false
    /// Whether the database file contained the whole log when the transaction started.
    ///
    /// If so, the transaction reads only the database file and does not prevent writers from
    /// resetting the log.
    private var readsOnlyDatabaseFile = false
    /// The time at which the transaction was first kept, in nanoseconds on the probe's clock, or 0
    /// if it has not been kept.
    private(set) var since: UInt64 = 0
    /// The time at which the last read that could be kept ended, in nanoseconds on the probe's clock.
    private(set) var lastEnd: UInt64 = 0
    /// The keeper's count of this process's writes when the transaction was kept.
    private var writes: UInt64 = 0

    /// Returns whether the open transaction reads the same state as a new transaction and blocks no
    /// additional writers.
    ///
    /// Once a checkpoint has copied the whole log, a new transaction reads only the database file,
    /// and the next writer can reset the log. A transaction that started earlier would block that
    /// writer.
    @inline(__always)
    func isCurrent() -> Bool {
        guard hasHeader, let walIndex, poolgauge_wal_header_is(walIndex, header) != 0
        else { return false }
        return readsOnlyDatabaseFile
            || poolgauge_wal_backfill(walIndex) != poolgauge_wal_frames(header)
    }

    /// Returns whether the open transaction reads the last committed state.
    func readsLastState() -> Bool {
        guard hasHeader, let walIndex else { return false }
        return poolgauge_wal_header_is(walIndex, header) != 0
    }

    /// Records the wal-index header before a transaction starts.
    @inline(__always)
    mutating func willBegin() {
        since = 0
        guard let walIndex else { return }
        hasHeader = poolgauge_wal_header_read(walIndex, &header) != 0
        readsOnlyDatabaseFile = poolgauge_wal_backfill(walIndex) == poolgauge_wal_frames(header)
    }

    /// Returns whether the transaction of an access that ends at `now` may be kept.
    ///
    /// `now` is a time on the probe's clock in nanoseconds. If the result is `true`, the caller may call
    /// ``keep(at:)``.
    ///
    /// `isAllowed` returns whether the writer of this process is idle. This method calls the
    /// closure after it reads the number of writes. A write that starts later changes this number
    /// and is therefore not mistaken for a write by another process.
    @inline(__always)
    mutating func mayKeep(at now: UInt64, if isAllowed: () -> Bool) -> Bool {
        let isFrequent = now < lastEnd &+ EngineTimings.longestKeptGap
        lastEnd = now
        guard let keeper, isFrequent, !isExposed, !hasAttachedDatabase,
            since == 0 || now < since &+ Self.maximumKeepAge
        else { return false }
        writes = keeper._withUnsafeGuaranteedRef { $0.writes.load(ordering: .acquiring) }
        guard isAllowed(), isCurrent() else { return false }
        return keeper._withUnsafeGuaranteedRef { $0.mayKeep(header, at: now, walIndex: walIndex) }
    }

    @inline(__always)
    mutating func keep(at now: UInt64) {
        if since == 0 { since = now }
        isKept = true
        isUnconfirmed = false
    }

    /// Marks the transaction as ended, and notifies the keeper if another process has committed
    /// since the transaction was kept.
    mutating func didEnd() {
        isKept = false
        isUnconfirmed = false
        since = 0
        guard let walIndex, let keeper, !readsLastState() else { return }
        var current = poolgauge_wal_header()
        let isRead = poolgauge_wal_header_read(walIndex, &current) != 0
        keeper._withUnsafeGuaranteedRef { keeper in
            // Writers of this process end kept transactions before they commit.
            guard keeper.writes.load(ordering: .acquiring) == writes else { return }
            keeper.recordForeignCommit(isRead ? current : header, at: monotonicNanoseconds())
        }
    }

    /// Makes ``isCurrent()`` return `false` until a transaction starts.
    mutating func expire() { hasHeader = false }

    /// Records that the application started a transaction within an access.
    mutating func programDidBegin() { since = 0 }

    mutating func disable() {
        walIndex = nil
        keeper = nil
        hasHeader = false
    }
}

extension Database {
    /// Continues the kept transaction.
    ///
    /// Like `BEGIN DEFERRED`, this method does not start reading. The first statement determines
    /// the state; see ``confirmReadState()``.
    ///
    /// - Returns: Whether a kept transaction existed.
    @inline(__always)
    func resumeKeptTransaction() -> Bool {
        guard kept.pointee.isKept else { return false }
        kept.pointee.isKept = false
        kept.pointee.isUnconfirmed = true
        return true
    }

    /// Ensures, before the first statement of an access, that the transaction reads the last
    /// committed state.
    @inline(__always)
    func confirmReadState() throws {
        guard kept.pointee.isUnconfirmed else { return }
        if kept.pointee.isCurrent() {
            kept.pointee.isUnconfirmed = false
        } else {
            try restartReadTransaction()
        }
    }

    /// Ensures, before a statement is prepared, that the schema belongs to the last committed
    /// state.
    ///
    /// This call does not determine the state that the access reads; see ``confirmReadState()``.
    @inline(__always)
    func confirmSchemaState() throws {
        guard kept.pointee.isUnconfirmed, !kept.pointee.isCurrent() else { return }
        try restartReadTransaction()
    }

    /// Ends the continued transaction and begins a new transaction that has not read yet.
    @inline(never)
    func restartReadTransaction() throws {
        guard kept.pointee.isUnconfirmed else { return }
        endKeptTransaction()
        kept.pointee.isUnconfirmed = true
        do {
            try beginReadTransaction()
        } catch {
            // Make the next statement retry.
            kept.pointee.expire()
            throw error
        }
        kept.pointee.isUnconfirmed = false
    }

    /// Keeps the open transaction for the next access if doing so has no observable effect.
    @inline(__always)
    func keepTransaction(at now: UInt64, if isAllowed: () -> Bool) -> Bool {
        // A transaction that was kept before has already read, and has not ended since.
        guard kept.pointee.mayKeep(at: now, if: isAllowed),
            kept.pointee.since != 0 || sqlite3_txn_state(handle, nil) == SQLITE_TXN_READ
        else { return false }
        // An interrupt stays in effect while a statement is unfinished, and would then also affect
        // the next access.
        if probe.unfinishedCount != 0 { resetStatements() }
        kept.pointee.keep(at: now)
        handleTransactionEndIfNeeded()
        return true
    }

    /// Ends a transaction that is kept, or that the access has continued but not used.
    ///
    /// The caller must hold the connection.
    func endKeptTransaction() {
        guard kept.pointee.isKept || kept.pointee.isUnconfirmed else { return }
        probe.willEndTransaction()
        defer { kept.pointee.didEnd() }
        guard isInsideTransaction else { return }
        // Commit instead of rolling back, because a rollback would notify the connection's
        // observers.
        guard transactionStatements.commit(on: handle) == SQLITE_OK else {
            return abandonTransaction()
        }
        probe.didEndTransaction()
    }

    /// Prepares the connection before the application receives the C connection.
    ///
    /// A continued transaction already reads a fixed state, whereas a new transaction does not.
    /// Code that uses the C connection must not be able to observe the difference.
    @inline(never)
    package func willExposeHandle() {
        kept.pointee.isExposed = true
        try? restartReadTransaction()
    }
}
