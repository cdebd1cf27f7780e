import Foundation
import SQLiteEngine
import Synchronization

/// A load that commits on several threads and acknowledges each commit.
final class CommitLoad: Sendable {
    private static let writerCount = 3
    private static let readerCount = 2
    /// The number of commits between two checkpoints.
    ///
    /// The number is small so that kills also interrupt checkpoints.
    private static let checkpointInterval = 40

    private let acknowledgesEarly: Bool
    private let checkpoint: Database.CheckpointMode
    private let next: Atomic<Int>

    /// Creates a load.
    ///
    /// - Parameters:
    ///   - acknowledgesEarly: Whether commits are acknowledged before they are complete.
    ///   - first: The number of the first commit.
    ///   - checkpoint: The mode of the checkpoints. With long reads, a checkpoint in the truncate
    ///     mode would block all writers until its busy timeout ends.
    init(acknowledgesEarly: Bool, first: Int, checkpoint: Database.CheckpointMode) {
        self.acknowledgesEarly = acknowledgesEarly
        self.checkpoint = checkpoint
        next = Atomic(first)
    }

    /// A configuration with a busy timeout.
    ///
    /// The system may not have released the locks of the previous process yet.
    static var waitingConfiguration: Configuration {
        var configuration = Configuration()
        configuration.busyMode = .timeout(10)
        return configuration
    }

    /// Opens a queue in WAL mode.
    static func walQueue(_ path: String) throws -> DatabaseQueue {
        var configuration = waitingConfiguration
        configuration.journalMode = .wal
        return try DatabaseQueue(path: path, configuration: configuration)
    }

    /// Writes and reads on many threads until the process ends.
    ///
    /// One thread writes to `other`.
    ///
    /// - Throws: An error if the tables cannot be created. Later errors end the process.
    func run(on database: some DatabaseWriter, and other: DatabaseQueue? = nil) throws {
        try database.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE IF NOT EXISTS entry (number INTEGER PRIMARY KEY, text TEXT);
                    CREATE TABLE IF NOT EXISTS mirror (number INTEGER PRIMARY KEY);
                    CREATE TABLE IF NOT EXISTS total (id INTEGER PRIMARY KEY, count INTEGER);
                    INSERT OR IGNORE INTO total VALUES (1, 0);
                    """
            )
        }
        for _ in 0..<Self.readerCount {
            Thread.detachNewThread { [self] in forever { try verify(database) } }
        }
        if let other {
            Thread.detachNewThread { [self] in forever { try commit(on: other) } }
        }
        for _ in 1..<Self.writerCount {
            Thread.detachNewThread { [self] in forever { try commit(on: database) } }
        }
        forever { try commit(on: database) }
    }

    /// Creates snapshots and snapshot pools, one at a time, until the process ends.
    func createSnapshots(of pool: DatabasePool) {
        Thread.detachNewThread { [self] in
            forever {
                // Until the tables exist, a snapshot has nothing to verify.
                guard try pool.read({ try $0.tableExists("total") }) else { return }
                let snapshot = try pool.makeSnapshot()
                try verify(snapshot)
                let snapshotPool = try pool.makeSnapshotPool()
                try verify(snapshotPool)
                try verify(snapshot)
                try snapshot.close()
                try snapshotPool.close()
            }
        }
    }

    private func forever(_ body: () throws -> Void) -> Never {
        do {
            while true { try body() }
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(70)
        }
    }

    private func commit(on database: some DatabaseWriter) throws {
        let number = next.wrappingAdd(1, ordering: .relaxed).oldValue
        try database.write { db in
            try db.execute(
                sql: """
                    INSERT INTO entry VALUES (?1, hex(randomblob(?1 % 500)));
                    INSERT INTO mirror VALUES (?1);
                    """,
                arguments: [number, number]
            )
            try db.execute(sql: "UPDATE total SET count = count + 1")
            if acknowledgesEarly {
                acknowledge(number)
                while true { pause() }
            }
        }
        acknowledge(number)
        if number % Self.checkpointInterval == 0 {
            // A reader may block the checkpoint.
            database.writeWithoutTransaction { db in _ = try? db.checkpoint(checkpoint) }
        }
    }

    private func verify(_ database: some DatabaseReader) throws {
        let isComplete = try database.read { db in
            try Bool.fetchOne(
                db,
                sql: """
                    SELECT (SELECT count(*) FROM entry) = count
                       AND (SELECT count(*) FROM mirror) = count FROM total
                    """
            )
        }
        guard isComplete == true else {
            throw DatabaseError(message: "a reader observed a partial commit")
        }
    }

    private func acknowledge(_ number: Int) {
        let line = Array("\(number)\n".utf8)
        // A single write ensures that all acknowledgments before the kill are complete in the pipe.
        guard write(STDOUT_FILENO, line, line.count) == line.count else { exit(74) }
    }
}
