import Foundation
import SQLiteEngine
import SecondProcess
import Testing

/// Tests the locks of a database after `Database.suspendNotification`.
@Suite(.timeLimit(.minutes(5)))
struct SuspendedLocksTests {
    private static let suspensionCount = 50

    /// Suspends the database several times.
    ///
    /// - Returns: The number of suspensions during which a lock blocks a checkpoint by another
    ///   process.
    private static func blockedSuspensionCount(
        in subject: SharedDatabase.Subject,
        suspend: (any DatabaseReader, SharedDatabase, () -> Void) throws -> Void
    ) throws -> Int {
        let shared = try SharedDatabase(for: subject)
        let database = try shared.open { $0.observesSuspensionNotifications = true }
        var count = 0
        for _ in 0..<suspensionCount {
            try suspend(database, shared) {
                NotificationCenter.default.post(name: Database.suspendNotification, object: nil)
            }
            defer {
                NotificationCenter.default.post(name: Database.resumeNotification, object: nil)
            }
            // The commit makes the state of a kept transaction outdated.
            try shared.peer.commit(CommitLoad(count: 1))
            if try !shared.peer.completesCheckpoint("TRUNCATE") { count += 1 }
        }
        return count
    }

    @Test(arguments: SharedDatabase.Subject.withLog)
    func noLockRemainsAfterReads(subject: SharedDatabase.Subject) async throws {
        let count = try await runOnNewThread {
            try Self.blockedSuspensionCount(in: subject) { database, _, suspend in
                for _ in 0..<20 { _ = try database.counter() }
                suspend()
            }
        }
        #expect(count == 0, "out of \(Self.suspensionCount) suspensions")
    }

    @Test(arguments: SharedDatabase.Subject.withLog)
    func noLockRemainsAfterReadsDuringTheSuspension(subject: SharedDatabase.Subject) async throws {
        let count = try await runOnNewThread {
            try Self.blockedSuspensionCount(in: subject) { database, shared, suspend in
                let readers = ContinuousReaders(database, threads: 2, committed: shared.committed)
                try readers.waitForReads(100)
                suspend()
                try readers.waitForReads(100)
                _ = try readers.stop()
            }
        }
        #expect(count == 0, "out of \(Self.suspensionCount) suspensions")
    }
}
