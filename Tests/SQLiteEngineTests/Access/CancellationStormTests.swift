import Foundation
import SQLiteEngine
import TestSupport
import Testing

/// Cancels many tasks at random times, and then checks that no connection is lost.
///
/// `POOLGAUGE_FAULTS` runs 100,000 cancellations.
@Suite(.timeLimit(.minutes(20)))
struct CancellationStormTests {
    private static let taskCount =
        ProcessInfo.processInfo.environment["POOLGAUGE_FAULTS"] == nil ? 2_000 : 100_000

    /// The number of tasks that run at the same time.
    private static let concurrency = 8

    private let folder = TemporaryFolder()

    private enum Access: CaseIterable, Sendable {
        case read, write, writeWithoutTransaction, search, barrier, observation
    }

    private func makePool() throws -> DatabasePool {
        var configuration = Configuration()
        configuration.maximumReaderCount = 2
        let pool = try DatabasePool(path: folder.file(), configuration: configuration)
        try pool.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE t (x);
                    CREATE VIRTUAL TABLE document USING fts5 (body);
                    WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c LIMIT 500)
                    INSERT INTO document SELECT 'word' || i % 50 || ' text ' || i FROM c;
                    """
            )
        }
        return pool
    }

    private static func run(_ access: Access, in pool: DatabasePool) async throws {
        switch access {
        case .read:
            _ = try await pool.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM document") }
        case .write:
            try await pool.write { db in
                try db.execute(sql: "INSERT INTO t VALUES (1)")
                try db.execute(sql: "INSERT INTO document VALUES ('word1 text')")
                try db.execute(sql: "DELETE FROM document WHERE rowid > 500; DELETE FROM t")
            }
        case .writeWithoutTransaction:
            try await pool.writeWithoutTransaction { db in
                do {
                    try db.execute(sql: "BEGIN IMMEDIATE; INSERT INTO t VALUES (1)")
                    try db.execute(sql: "DELETE FROM t; COMMIT")
                } catch {
                    // The interrupt of a write may have rolled back the transaction.
                    if db.isInsideTransaction { try db.execute(sql: "ROLLBACK") }
                    throw error
                }
            }
        case .search:
            _ = try await pool.read {
                try String.fetchAll(
                    $0,
                    sql: "SELECT body FROM document WHERE document MATCH 'word*'"
                )
            }
        case .barrier:
            try await pool.barrierWriteWithoutTransaction { try $0.execute(sql: "SELECT 1") }
        case .observation:
            let values = ValueObservation.tracking {
                try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t")
            }
            .values(in: pool)
            for try await _ in values { if Task.isCancelled { break } }
        }
    }

    @Test func allConnectionsAreFreeAfterAStorm() async throws {
        let pool = try makePool()
        var random = SeededRandom(seed: 31)
        let plans = (0..<Self.taskCount).map { index in
            (
                access: Access.allCases[index % Access.allCases.count],
                delay: UInt64.random(in: 0...1_000, using: &random)
            )
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, plan) in plans.enumerated() {
                if index >= Self.concurrency { try await group.next() }
                group.addTask {
                    let task = Task { try await Self.run(plan.access, in: pool) }
                    // The storm needs cancellations at every point of an access, and no gate could
                    // stop an access at all of them.
                    try await Task.sleep(nanoseconds: plan.delay * 1_000)
                    task.cancel()
                    do {
                        try await task.value
                    } catch is CancellationError {
                    } catch let error as DatabaseError where error.isInterruptionError {
                        Issue.record(
                            "A canceled access threw \(error) instead of CancellationError."
                        )
                    }
                }
            }
            try await group.waitForAll()
        }
        // Every connection can be acquired, at the same time.
        let isFree = try await pool.barrierWriteWithoutTransaction { db in
            try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t") == 0
        }
        #expect(isFree)
        let status = pool.status()
        #expect(status.waitingReaders.isEmpty)
        #expect(status.waitingWriters.isEmpty)
        #expect(status.readers?.inUse == 0)
        #expect(status.connections.allSatisfy { $0.state == .idle }, "\(status.connections)")
        try await pool.write { try $0.execute(sql: "INSERT INTO document VALUES ('after')") }
        let integrity = try await pool.read {
            try String.fetchOne($0, sql: "PRAGMA integrity_check")
        }
        #expect(integrity == "ok")
        try pool.close()
    }
}
