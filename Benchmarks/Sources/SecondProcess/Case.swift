import Foundation
import SQLiteEngine

/// The result of measuring a case once.
struct Measurement {
    var times: CommitTimes
    var readsPerSecond: Double
}

/// A load by another process, or by a second pool, during continuous reads.
struct Case: Sendable {
    let name: String
    let subject: SharedDatabase.Subject
    let load: CommitLoad
    /// Whether the other process waits for locks.
    var waitsForLocks = true
    /// Whether a second pool in this process commits instead of the other process.
    var usesSecondPool = false

    static func all(commits: Int, slowCommits: Int) -> [Case] {
        let full = CommitLoad(count: commits)
        let slow = CommitLoad(count: slowCommits, pages: 100, pause: 200_000)
        let slower = CommitLoad(count: slowCommits, pages: 100, pause: 300_000)
        func loadWithMaintenance(_ sql: String) -> CommitLoad {
            CommitLoad(count: 250, pages: 10, pause: 500, maintenance: sql, every: 5)
        }
        let truncate = loadWithMaintenance("PRAGMA wal_checkpoint(TRUNCATE)")
        let restart = loadWithMaintenance("PRAGMA wal_checkpoint(RESTART)")
        return [
            Case(name: "pool", subject: .pool, load: full),
            Case(name: "read-only pool", subject: .readonlyPool, load: full),
            Case(name: "WAL queue", subject: .walQueue, load: full),
            Case(name: "two pools", subject: .pool, load: full, usesSecondPool: true),
            Case(name: "pool, 200 ms pauses", subject: .pool, load: slow),
            Case(name: "pool, 300 ms pauses", subject: .pool, load: slower),
            Case(name: "WAL queue, 300 ms pauses", subject: .walQueue, load: slower),
            Case(name: "TRUNCATE, waits", subject: .pool, load: truncate),
            Case(name: "TRUNCATE", subject: .pool, load: truncate, waitsForLocks: false),
            Case(name: "RESTART, waits", subject: .pool, load: restart),
            Case(name: "RESTART", subject: .pool, load: restart, waitsForLocks: false),
            Case(name: "VACUUM", subject: .pool, load: loadWithMaintenance("VACUUM")),
        ]
    }

    /// Measures the case on a new database.
    func measure(
        keepsReadTransactions keeps: Bool,
        threads: Int,
        program: String
    ) throws -> Measurement {
        let shared = try SharedDatabase(
            for: subject,
            pageCount: load.pages,
            program: program,
            timeout: 600
        )
        try shared.peer.sql("PRAGMA busy_timeout = \(waitsForLocks ? 20_000 : 0)")
        let database = try shared.open(keepsReadTransactions: keeps, readers: threads)
        let secondPool =
            usesSecondPool ? try shared.open(keepsReadTransactions: keeps) as? DatabasePool : nil
        let readers = ContinuousReaders(database, threads: threads, committed: shared.committed)
        try readers.waitForReads(1_000)
        let initialReadCount = readers.readCount
        let start = ContinuousClock.now
        let times =
            if let secondPool {
                try shared.commit(load.count, through: secondPool)
            } else {
                try shared.peer.commit(load)
            }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        let reads = readers.readCount - initialReadCount
        let stale = try readers.stop().staleReads
        precondition(stale == 0, "\(stale) stale reads")
        return Measurement(times: times, readsPerSecond: Double(reads) / seconds)
    }
}
