import CSQLite

/// A read transaction that a pool's reader, or a queue in WAL mode, keeps open between two
/// accesses, for as long as it shows the last committed state anyway.
///
/// Beginning and ending a read transaction costs more than the point read inside: SQLite locks
/// and unlocks a read mark with two system calls. Where nothing was committed since the last
/// access, a new transaction would see the very same state. The header of the wal-index tells: it
/// changes with each commit of any process (https://sqlite.org/walformat.html, section 2.1), and
/// comparing its 48 bytes takes a few nanoseconds.
///
/// A transaction is kept only
/// - while accesses follow each other within ``patience``, and for at most ``limit`` altogether;
/// - while nobody holds the pool's writer, whose checkpoints it would hold back: the writer ends
///   those that are kept (``AccessGate/forbidKeeping()``);
/// - until the queue's connection is used for something else than a read;
/// - until the sweeper comes by (``KeptTransactionSweeper``), when no access does.
///
/// It is never kept where databases are attached: only the main one's wal-index is looked at.
///
/// So for other processes a pool that reads looks like one whose reads overlap a little longer.
struct KeptTransaction {
    /// The longest gap between two accesses, in nanoseconds.
    static let patience: UInt64 = 1_000_000
    /// The longest time that one transaction is kept, in nanoseconds.
    static let limit: UInt64 = 5_000_000

    /// The wal-index in memory; nil where transactions are never kept.
    var walIndex: UnsafeRawPointer?
    /// The header before the open transaction began.
    var header = poolgauge_wal_header()
    /// Whether `header` could be read.
    var hasHeader = false
    /// Whether the connection is idle inside of a transaction.
    var isKept = false
    /// When the transaction was first kept; 0 for one that was not yet.
    var since: UInt64 = 0
    /// When the connection's last access ended.
    var lastEnd: UInt64 = 0

    /// Whether the database is still in the state that the open transaction shows.
    @inline(__always)
    func isCurrent() -> Bool {
        guard hasHeader, let walIndex else { return false }
        return withUnsafePointer(to: header) { poolgauge_wal_header_is(walIndex, $0) } != 0
    }

    /// Notes the state before a transaction begins.
    @inline(__always)
    mutating func willBegin() {
        since = 0
        guard let walIndex else { return }
        hasHeader = poolgauge_wal_header_read(walIndex, &header) != 0
    }

    /// Decides, when an access ends at `now`, whether its transaction may be kept.
    @inline(__always)
    mutating func mayKeep(at now: UInt64) -> Bool {
        let isDense = now &- lastEnd < Self.patience
        lastEnd = now
        guard isDense, since == 0 || now &- since < Self.limit else { return false }
        return isCurrent()
    }
}

extension Database {
    /// Lets the connection keep read transactions between accesses; it has read in WAL mode.
    func keepReadTransactions() throws {
        let databases = try Row.fetchAll(self, sql: "PRAGMA database_list")
        // 0 is main, 1 temp (https://sqlite.org/pragma.html#pragma_database_list).
        guard databases.allSatisfy({ (row: Row) -> Bool in row["seq"] < 2 }) else { return }
        kept.pointee.walIndex = poolgauge_wal_index(sqliteConnection)
    }

    /// Lets the connection keep none from now on.
    func keepsNoReadTransactions() {
        kept.pointee.walIndex = nil
        kept.pointee.hasHeader = false
    }

    /// Goes on with the transaction that was kept.
    ///
    /// - Returns: Whether there was one, and it shows the last committed state.
    @inline(__always)
    func resumeKeptTransaction() -> Bool {
        guard kept.pointee.isKept else { return false }
        guard kept.pointee.isCurrent() else {
            endKeptTransaction()
            return false
        }
        kept.pointee.isKept = false
        return true
    }

    /// Keeps the open transaction for the next access, if that changes nothing for it.
    @inline(__always)
    func keepTransaction(at now: UInt64) -> Bool {
        guard kept.pointee.mayKeep(at: now),
            sqlite3_txn_state(sqliteConnection, nil) == SQLITE_TXN_READ
        else { return false }
        // A statement that is still stepping would keep an interrupt's flag up for the next
        // access.
        resetStatements()
        if kept.pointee.since == 0 { kept.pointee.since = now }
        kept.pointee.isKept = true
        transactionDidEndIfNoted()
        return true
    }

    /// Ends the transaction that is kept, if there is one; the caller has claimed the slot.
    func endKeptTransaction() {
        guard kept.pointee.isKept else { return }
        kept.pointee.isKept = false
        kept.pointee.since = 0
        probe.willEndTransaction()
        // No rollback: observers of the connection would be told of one.
        guard transactionStatements.commit(on: sqliteConnection) == SQLITE_OK else {
            return abandonTransaction()
        }
        probe.didEndTransaction()
    }
}
