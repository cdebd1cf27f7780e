import Foundation
import SQLiteEngine

/// The result for one setting in one round.
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
    var waits = true
    /// Whether a second pool in this process commits instead of the other process.
    var usesSecondPool = false

    static func all(commits: Int, slowCommits: Int) -> [Case] {
        let full = CommitLoad(count: commits)
        let slow = CommitLoad(count: slowCommits, pages: 100, pause: 200_000)
        let slower = CommitLoad(count: slowCommits, pages: 100, pause: 300_000)
        func maintained(_ sql: String) -> CommitLoad {
            CommitLoad(count: 250, pages: 10, pause: 500, maintenance: sql, every: 5)
        }
        let truncate = maintained("PRAGMA wal_checkpoint(TRUNCATE)")
        let restart = maintained("PRAGMA wal_checkpoint(RESTART)")
        return [
            Case(name: "pool", subject: .pool, load: full),
            Case(name: "read-only pool", subject: .readonlyPool, load: full),
            Case(name: "WAL queue", subject: .walQueue, load: full),
            Case(name: "two pools", subject: .pool, load: full, usesSecondPool: true),
            Case(name: "pool, 200 ms pauses", subject: .pool, load: slow),
            Case(name: "pool, 300 ms pauses", subject: .pool, load: slower),
            Case(name: "WAL queue, 300 ms pauses", subject: .walQueue, load: slower),
            Case(name: "TRUNCATE, waits", subject: .pool, load: truncate),
            Case(name: "TRUNCATE", subject: .pool, load: truncate, waits: false),
            Case(name: "RESTART, waits", subject: .pool, load: restart),
            Case(name: "RESTART", subject: .pool, load: restart, waits: false),
            Case(name: "VACUUM", subject: .pool, load: maintained("VACUUM")),
        ]
    }

    /// Measures a setting on a new database.
    func measure(keeps: Bool, threads: Int, program: String) throws -> Measurement {
        let shared = try SharedDatabase(
            for: subject,
            pageCount: load.pages,
            program: program,
            timeout: 600
        )
        try shared.peer.sql("PRAGMA busy_timeout = \(waits ? 20_000 : 0)")
        let database = try shared.open(keepsReadTransactions: keeps, readers: threads)
        let second =
            usesSecondPool ? try shared.open(keepsReadTransactions: keeps) as? DatabasePool : nil
        let readers = ContinuousReaders(database, threads: threads, committed: shared.committed)
        try readers.awaitReads(1_000)
        let before = readers.readCount
        let start = ContinuousClock.now
        let times =
            if let second {
                try shared.commit(load.count, through: second)
            } else {
                try shared.peer.commit(load)
            }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        let reads = readers.readCount - before
        let stale = try readers.stop().staleReads
        precondition(stale == 0, "\(stale) stale reads")
        return Measurement(times: times, readsPerSecond: Double(reads) / seconds)
    }
}
