import Foundation
import SQLiteEngine
import Telemetry
import Testing

/// Tests databases in processes that are repeatedly killed with SIGKILL under load.
///
/// A killed process loses no acknowledged commit, regardless of `synchronous`, because the
/// operating system has already received the writes
/// (https://sqlite.org/pragma.html#pragma_synchronous).
@Suite(.timeLimit(.minutes(5)))
struct KilledProcessTests {
    private let folder = TemporaryFolder()

    /// The content of a database after a kill.
    private struct Remains {
        var numbers: Set<Int>
        /// Whether each transaction is either complete or absent.
        var isWhole: Bool
        var integrity: String?
    }

    /// Opens the database as the next process does.
    private func remains(_ kind: CommitWriterProcess.Kind) throws -> Remains {
        let database: any DatabaseWriter =
            kind == .pool
            ? try DatabasePool(path: folder.file()) : try DatabaseQueue(path: folder.file())
        defer { try? database.close() }
        return try database.read { db in
            guard try db.tableExists("total") else {
                return Remains(numbers: [], isWhole: true, integrity: "ok")
            }
            let numbers = try Set(Int.fetchAll(db, sql: "SELECT number FROM entry"))
            let mirror = try Set(Int.fetchAll(db, sql: "SELECT number FROM mirror"))
            let total = try Int.fetchOne(db, sql: "SELECT count FROM total") ?? 0
            return Remains(
                numbers: numbers,
                isWhole: numbers == mirror && numbers.count == total,
                integrity: try String.fetchOne(db, sql: "PRAGMA integrity_check")
            )
        }
    }

    private func spin(_ nanoseconds: UInt64) {
        let end = monotonicNanoseconds() + nanoseconds
        while monotonicNanoseconds() < end {}
    }

    @Test(arguments: [(CommitWriterProcess.Kind.pool, 100), (.walQueue, 30), (.queue, 30)])
    func everyAcknowledgedCommitIsPresent(kind: CommitWriterProcess.Kind, kills: Int) async throws {
        try await runOnNewThread { try kill(kind, times: kills) }
    }

    private func kill(_ kind: CommitWriterProcess.Kind, times kills: Int) throws {
        var random = SeededRandom(seed: 9)
        var all: Set<Int> = []
        var next = 1
        for round in 0..<kills {
            let process = try CommitWriterProcess(kind, on: folder.file(), first: next)
            // The process is sometimes killed while it opens the database or before its tables
            // exist.
            try process.awaitCommits(Int.random(in: 0...25, using: &random))
            spin(UInt64.random(in: 0..<3_000_000, using: &random))
            all.formUnion(try process.kill())
            let remains = try remains(kind)
            #expect(remains.integrity == "ok", "round \(round)")
            #expect(remains.isWhole, "round \(round)")
            #expect(all.subtracting(remains.numbers).isEmpty, "round \(round)")
            next = (remains.numbers.union(all).max() ?? 0) + 1
        }
        // A run without commits would prove nothing.
        #expect(all.count > kills * 5)
    }

    @Test(arguments: CommitWriterProcess.Kind.allCases)
    func commitsAcknowledgedTooEarlyAreLost(kind: CommitWriterProcess.Kind) async throws {
        try await runOnNewThread { try killEarlyWriter(kind) }
    }

    private func killEarlyWriter(_ kind: CommitWriterProcess.Kind) throws {
        let process = try CommitWriterProcess(kind, on: folder.file(), first: 1, isEarly: true)
        try process.awaitCommits(1)
        let acknowledged = try process.kill()
        let remains = try remains(kind)
        #expect(acknowledged.count == 1)
        #expect(remains.numbers.isEmpty)
        #expect(remains.isWhole)
        #expect(remains.integrity == "ok")
    }
}
