@testable import SQLiteEngine

/// The engine functions that a session uses.
enum SessionRole: String, CaseIterable, Sendable {
    /// Uses `write`.
    ///
    /// Some transactions are rolled back.
    case write
    /// Uses `writeWithoutTransaction` with each kind of `inTransaction`, with savepoints, and with
    /// single statements.
    case writeWithoutTransaction
    /// Uses `await write`.
    case awaitedWrite
    /// Uses `asyncWrite`.
    case asyncWrite
    /// Uses all forms of `barrierWriteWithoutTransaction`.
    case barrier
    /// Uses `spawnConcurrentRead` after each commit, and commits again during the read.
    case concurrentRead
    /// Uses `write { read }` on a pool.
    case nestedRead
    /// Uses `read`.
    case read
    /// Uses `await read`.
    case awaitedRead
    /// Uses `asyncRead`.
    case asyncRead
    /// Uses `unsafeRead` and `unsafeReentrantRead`, in which each statement is a transaction.
    case singleReads
    /// Uses `makeSnapshot`, and reads the snapshot several times.
    case snapshot
    /// Uses `makeSnapshotPool`, and reads the snapshot on two threads.
    case snapshotPool

    /// Whether the session only reads.
    var isReadOnly: Bool {
        switch self {
        case .read, .awaitedRead, .asyncRead, .singleReads: true
        default: false
        }
    }

    /// Whether only a writable pool supports the role.
    var needsPool: Bool {
        switch self {
        case .nestedRead, .snapshot, .snapshotPool: true
        default: false
        }
    }

    /// Returns the roles that a database supports.
    static func all(on database: any DatabaseReader) -> [SessionRole] {
        allCases.filter { role in
            if role.isReadOnly { return true }
            if database.configuration.readonly { return false }
            return database is DatabasePool || !role.needsPool
        }
    }
}
