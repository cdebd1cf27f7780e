@testable import SQLiteEngine

/// The way a session uses the engine.
enum SessionRole: String, CaseIterable, Sendable {
    /// `write`, sometimes rolled back.
    case write
    /// `inTransaction` of each kind, savepoints, and single statements, without the engine's
    /// transaction.
    case writeWithoutTransaction
    /// `await write`.
    case awaitedWrite
    /// `asyncWrite`.
    case asyncWrite
    /// `barrierWriteWithoutTransaction`, in each of its forms.
    case barrier
    /// `spawnConcurrentRead` after each commit, and a commit after that.
    case concurrentRead
    /// `write { read }` on a pool.
    case nestedRead
    /// `read`.
    case read
    /// `await read`.
    case awaitedRead
    /// `asyncRead`.
    case asyncRead
    /// `unsafeRead` and `unsafeReentrantRead`, each of whose statements is a transaction.
    case singleReads
    /// `makeSnapshot`, read several times.
    case snapshot
    /// `makeSnapshotPool`, read on two threads.
    case snapshotPool

    /// Whether the session only reads.
    var isReadOnly: Bool {
        switch self {
        case .read, .awaitedRead, .asyncRead, .singleReads: true
        default: false
        }
    }

    /// Whether only a writable pool has the method.
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
