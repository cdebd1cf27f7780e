import SQLiteEngine
import SecondProcess
import Testing

/// Tests the cost of commits by another process during continuous reads in this process.
///
/// The cost is compared with the cost when readers keep no transactions.
@Suite(.timeLimit(.minutes(5)))
struct ForeignCommitTests {
    /// Performs a load while two threads read without pauses.
    private static func times(
        of load: CommitLoad,
        alongside subject: SharedDatabase.Subject,
        keepsReadTransactions: Bool,
        waitsForLocks: Bool = true
    ) throws -> CommitTimes {
        let shared = try SharedDatabase(for: subject, pageCount: load.pages)
        try shared.peer.sql("PRAGMA busy_timeout = \(waitsForLocks ? 20_000 : 0)")
        let database = try shared.open(keepsReadTransactions: keepsReadTransactions)
        let readers = ContinuousReaders(database, threads: 2, committed: shared.committed)
        try readers.waitForReads(1_000)
        let times = try shared.peer.commit(load)
        _ = try readers.stop()
        return times
    }

    @Test(arguments: SharedDatabase.Subject.withLog)
    func commitsWithoutPausesAreAsFastAndTheLogIsAsShort(
        subject: SharedDatabase.Subject
    ) async throws {
        let excess = try await repeatedExcess {
            try Alternation(rounds: 2) { keepsReadTransactions in
                try Self.times(
                    of: CommitLoad(count: 4_000),
                    alongside: subject,
                    keepsReadTransactions: keepsReadTransactions
                )
            }
        }
        #expect(excess == nil)
    }

    /// The pauses are long enough for readers to keep transactions again after a commit by another
    /// process.
    @Test(arguments: [SharedDatabase.Subject.pool, .walQueue])
    func commitsWithPausesAreAsFastAndTheLogIsAsShort(
        subject: SharedDatabase.Subject
    ) async throws {
        let load = CommitLoad(count: 5, pages: 250, pause: 300_000)
        let excess = try await repeatedExcess {
            try Alternation(rounds: 1) { keepsReadTransactions in
                try Self.times(
                    of: load,
                    alongside: subject,
                    keepsReadTransactions: keepsReadTransactions
                )
            }
        }
        #expect(excess == nil)
    }

    /// Maintenance that another process runs between its commits.
    enum Maintenance: String, CaseIterable, Sendable {
        case truncate = "PRAGMA wal_checkpoint(TRUNCATE)"
        case restart = "PRAGMA wal_checkpoint(RESTART)"
        case vacuum = "VACUUM"
    }

    @Test(arguments: Maintenance.allCases, [true, false])
    func maintenanceByAnotherProcessIsAsFastAndAsRarelyBlocked(
        maintenance: Maintenance,
        waitsForLocks: Bool
    ) async throws {
        let load = CommitLoad(
            count: 300,
            pages: 10,
            pause: 500,
            maintenance: maintenance.rawValue,
            every: 5
        )
        let excess = try await repeatedExcess {
            try Alternation(rounds: 1) { keepsReadTransactions in
                try Self.times(
                    of: load,
                    alongside: .pool,
                    keepsReadTransactions: keepsReadTransactions,
                    waitsForLocks: waitsForLocks
                )
            }
        }
        #expect(excess == nil)
    }

    /// With either setting, a connection in WAL mode prevents another process from leaving that
    /// mode.
    @Test(arguments: SharedDatabase.Subject.withLog, [true, false])
    func anotherProcessCannotLeaveWALModeUntilTheDatabaseCloses(
        subject: SharedDatabase.Subject,
        keepsReadTransactions: Bool
    ) throws {
        let shared = try SharedDatabase(for: subject)
        let database = try shared.open(keepsReadTransactions: keepsReadTransactions)
        for expected in 1...20 {
            for _ in 0..<5 { _ = try database.counter() }
            #expect(throws: Peer.Failure.self) {
                try shared.peer.sql("PRAGMA busy_timeout = 0; PRAGMA journal_mode = DELETE")
            }
            try shared.peer.commit(CommitLoad(count: 1))
            #expect(try database.counter() == expected)
        }
        try database.close()
        #expect(try shared.peer.sql("PRAGMA journal_mode = DELETE") == ["delete"])
    }

    @Test func aSecondPoolCommitsAsFastAndTheLogIsAsShort() async throws {
        let excess = try await repeatedExcess {
            try Alternation(rounds: 2) { keepsReadTransactions in
                try Self.timesOfASecondPool(keepsReadTransactions: keepsReadTransactions)
            }
        }
        #expect(excess == nil)
    }

    /// Commits through one pool while two threads read through another pool.
    private static func timesOfASecondPool(keepsReadTransactions: Bool) throws -> CommitTimes {
        let shared = try SharedDatabase(for: .pool)
        let (first, second) = (
            try shared.open(keepsReadTransactions: keepsReadTransactions),
            try shared.open(keepsReadTransactions: keepsReadTransactions)
        )
        let writer = try #require(second as? DatabasePool)
        let readers = ContinuousReaders(first, threads: 2, committed: shared.committed)
        try readers.waitForReads(1_000)
        let times = try shared.commit(4_000, through: writer)
        _ = try readers.stop()
        return times
    }
}
