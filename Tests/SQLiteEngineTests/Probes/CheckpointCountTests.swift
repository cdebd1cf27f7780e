import Foundation
import Telemetry
import TestSupport
import Testing

@testable import SQLiteEngine

/// Tests the counts of checkpoints by mode.
@Suite(.timeLimit(.minutes(1)))
struct CheckpointCountTests {
    private let folder = TemporaryFolder()

    private func makePool(autocheckpoint: Int) throws -> DatabasePool {
        let pool = try DatabasePool(
            path: folder.file(),
            configuration: .with {
                $0.prepareDatabase { db in
                    try db.execute(sql: "PRAGMA wal_autocheckpoint = \(autocheckpoint)")
                }
            }
        )
        try pool.write { db in try db.execute(sql: "CREATE TABLE b (v BLOB)") }
        return pool
    }

    private func write(to db: Database) throws {
        try db.execute(sql: "INSERT INTO b VALUES (zeroblob(20000))")
    }

    private func counts(of pool: DatabasePool) -> [String: UInt64]? {
        pool.status().wal?.checkpoints
    }

    @Test func requestedCheckpointsHaveTheirMode() throws {
        let pool = try makePool(autocheckpoint: 0)
        #expect(counts(of: pool) == [:])
        for mode in [.passive, .full, .restart, .truncate, .truncate] as [Database.CheckpointMode] {
            try pool.write { db in try write(to: db) }
            try pool.writeWithoutTransaction { db in _ = try db.checkpoint(mode) }
        }
        #expect(counts(of: pool) == ["passive": 1, "full": 1, "restart": 1, "truncate": 2])
    }

    @Test func otherCheckpointsHaveNoMode() throws {
        let pool = try makePool(autocheckpoint: 0)
        try pool.write { db in try write(to: db) }
        try pool.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA wal_checkpoint(PASSIVE)")
        }
        #expect(counts(of: pool) == ["unknown": 1])
        // Another connection runs the checkpoint.
        try pool.write { db in try write(to: db) }
        let other = try DatabaseQueue(path: pool.path)
        try other.inDatabase { db in _ = try db.checkpoint(.passive) }
        #expect(counts(of: pool) == ["unknown": 2])
    }

    @Test func anAutomaticCheckpointIsCounted() throws {
        let pool = try makePool(autocheckpoint: 2)
        let before = counts(of: pool)?["unknown"] ?? 0
        try pool.write { db in try write(to: db) }
        #expect(counts(of: pool) == ["unknown": before + 1])
    }

    @Test func checkpointsOfAnAttachedDatabaseAreNotCounted() throws {
        let pool = try makePool(autocheckpoint: 0)
        let other = folder.file("other.sqlite")
        try pool.writeWithoutTransaction { db in
            try db.execute(sql: "ATTACH ? AS other", arguments: [other])
            try db.execute(sql: "PRAGMA other.journal_mode = wal")
            _ = try db.checkpoint(.full, on: "other")
        }
        #expect(counts(of: pool) == [:])
    }
}
