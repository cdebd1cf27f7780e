import SQLiteEngine
import SecondProcess
import Testing

/// Tests that a read observes a commit of another process if the read starts after the commit has
/// returned.
@Suite(.timeLimit(.minutes(5)))
struct ForeignCommitFreshnessTests {
    /// Reads without pauses while the other process performs a load.
    ///
    /// - Returns: The number of reads that missed a commit, including a final read.
    private static func staleReads(
        of subject: SharedDatabase.Subject,
        during load: CommitLoad
    ) throws -> Int {
        let shared = try SharedDatabase(for: subject, pageCount: load.pages)
        let database = try shared.open()
        let readers = ContinuousReaders(database, threads: 2, committed: shared.committed)
        try readers.waitForReads(1_000)
        try shared.peer.commit(load)
        return try readers.stop().staleReads + (database.counter() == load.count ? 0 : 1)
    }

    @Test(arguments: SharedDatabase.Subject.allCases)
    func readsObserveConsecutiveCommits(subject: SharedDatabase.Subject) async throws {
        let load = CommitLoad(count: 3_000)
        let count = try await runOnNewThread { try Self.staleReads(of: subject, during: load) }
        #expect(count == 0)
    }

    /// Readers keep their transactions during the pauses, at least if the pauses last 300 ms.
    @Test(
        arguments: SharedDatabase.Subject.allCases,
        [CommitLoad(count: 250, pause: 2_000), CommitLoad(count: 4, pause: 300_000)]
    )
    func readsObserveCommitsBetweenPauses(
        subject: SharedDatabase.Subject,
        load: CommitLoad
    ) async throws {
        let count = try await runOnNewThread { try Self.staleReads(of: subject, during: load) }
        #expect(count == 0)
    }

    @Test(
        arguments: SharedDatabase.Subject.allCases,
        ["VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)", "PRAGMA user_version = 7"]
    )
    func readsObserveCommitsDuringMaintenance(
        subject: SharedDatabase.Subject,
        sql: String
    ) async throws {
        let load = CommitLoad(count: 500, pages: 3, pause: 100, maintenance: sql, every: 10)
        let count = try await runOnNewThread { try Self.staleReads(of: subject, during: load) }
        #expect(count == 0)
    }

    /// Another process switches the database to WAL mode while a queue that does not set the
    /// journal mode is open.
    @Test func readsObserveCommitsAfterAnotherProcessEntersWALMode() async throws {
        let (staleReads, last, modes) = try await runOnNewThread {
            let shared = try SharedDatabase(for: .rollbackQueue)
            let queue = try shared.open()
            let readers = ContinuousReaders(queue, threads: 2, committed: shared.committed)
            var modes: Set<[String?]> = []
            for _ in 0..<10 {
                try readers.waitForReads(100)
                try shared.peer.commit(CommitLoad(count: 100))
                modes.insert(try shared.peer.sql("PRAGMA journal_mode = WAL"))
                try readers.waitForReads(100)
                try shared.peer.commit(CommitLoad(count: 100))
                // After the queue has read in WAL mode, its connection prevents this change.
                _ = try? shared.peer.sql("PRAGMA busy_timeout = 0; PRAGMA journal_mode = DELETE")
                try shared.peer.sql("PRAGMA busy_timeout = 20000")
            }
            return (try readers.stop().staleReads, try queue.counter(), modes)
        }
        #expect(modes == [["wal"]])
        #expect(staleReads == 0)
        #expect(last == 2_000)
    }

    /// One connection reads a few times after each commit.
    @Test(arguments: SharedDatabase.Subject.allCases)
    func aSingleReadObservesThePreviousCommit(subject: SharedDatabase.Subject) async throws {
        let staleReads = try await runOnNewThread {
            let shared = try SharedDatabase(for: subject)
            let database = try shared.open(readers: 1)
            var staleReads = 0
            for expected in 1...1_000 {
                try shared.peer.commit(CommitLoad(count: 1))
                for _ in 0...expected % 5 where try database.counter() != expected {
                    staleReads += 1
                }
            }
            return staleReads
        }
        #expect(staleReads == 0)
    }
}
