import FaultPaths
import Foundation
import SQLiteEngine
import Telemetry
import TestSupport
import Testing

/// Tests databases in processes that are repeatedly killed with SIGKILL under load.
///
/// A killed process loses no acknowledged commit with any value of `synchronous`, because the
/// operating system has already received the writes
/// (https://sqlite.org/pragma.html#pragma_synchronous).
@Suite(.serialized, .timeLimit(.minutes(30)))
struct KilledProcessTests {
    private let folder: FaultFolder

    init() throws { folder = try FaultFolder() }

    /// The content of a database after a kill.
    private struct Remains {
        var numbers: Set<Int>
        /// Whether each transaction is either complete or absent.
        var isWhole: Bool
        var integrity: String?
    }

    /// Opens the database like the next process would, and returns its content.
    private func remains(
        _ kind: CommitWriterProcess.Kind,
        in folder: FaultFolder
    ) throws -> Remains {
        var configuration = Configuration()
        // With a mixed load, the other process continues and may hold locks.
        if kind == .mixed { configuration.busyMode = .timeout(10) }
        let path = folder.database
        let database: any DatabaseWriter =
            kind == .pool || kind == .mixed
            ? try DatabasePool(path: path, configuration: configuration)
            : try DatabaseQueue(path: path)
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

    @Test(arguments: [
        (CommitWriterProcess.Kind.pool, Length.isFull ? 100 : 50),
        (.walQueue, Length.isFull ? 30 : 15), (.queue, Length.isFull ? 30 : 15),
    ])
    func everyAcknowledgedCommitIsPresent(kind: CommitWriterProcess.Kind, kills: Int) throws {
        try kill(kind, times: kills)
    }

    private func kill(_ kind: CommitWriterProcess.Kind, times kills: Int) throws {
        var random = SeededRandom(seed: 9)
        var all: Set<Int> = []
        var next = 1
        for round in 0..<kills {
            let process = try CommitWriterProcess(kind, on: folder.database, first: next)
            // The process is sometimes killed while it opens the database or before its tables
            // exist.
            try process.awaitCommits(Int.random(in: 0...25, using: &random))
            spin(UInt64.random(in: 0..<3_000_000, using: &random))
            all.formUnion(try process.kill())
            let remains = try remains(kind, in: folder)
            #expect(remains.integrity == "ok", "round \(round)")
            #expect(remains.isWhole, "round \(round)")
            #expect(all.subtracting(remains.numbers).isEmpty, "round \(round)")
            next = (remains.numbers.union(all).max() ?? 0) + 1
        }
        Length.report("\(kind.rawValue): \(kills) kills, \(all.count) commits")
        // A run without commits would prove nothing.
        #expect(all.count > kills * 5)
    }

    /// Kills one of two processes on the same file while the other one continues.
    ///
    /// Both processes commit through a pool and a queue, create snapshots, and run checkpoints.
    @Test func everyAcknowledgedCommitOfTwoProcessesIsPresent() throws {
        var random = SeededRandom(seed: 90)
        let kills = Length.isFull ? 500 : 24
        var commits = 0
        var round = 0
        // A new file keeps the integrity checks short.
        while round < kills {
            let folder = try FaultFolder()
            var acknowledged: Set<Int> = []
            var processes: [CommitWriterProcess] = []
            for _ in 0..<2 {
                processes.append(try start(&round, folder))
                try processes[processes.count - 1].awaitCommits(1)
            }
            for _ in 0..<48 where round < kills {
                let victim = Int.random(in: 0..<2, using: &random)
                try processes[victim].awaitCommits(Int.random(in: 0...12, using: &random))
                spin(UInt64.random(in: 0..<3_000_000, using: &random))
                acknowledged.formUnion(try processes[victim].kill())
                acknowledged.formUnion(processes[1 - victim].acknowledgedSoFar())
                let remains = try remains(.mixed, in: folder)
                #expect(remains.integrity == "ok", "round \(round)")
                #expect(remains.isWhole, "round \(round)")
                let lost = acknowledged.subtracting(remains.numbers)
                #expect(lost.isEmpty, "round \(round)")
                processes[victim] = try start(&round, folder)
            }
            for process in processes { _ = try process.kill() }
            commits += acknowledged.count
        }
        Length.report("two processes: \(round) kills, \(commits) commits")
        #expect(commits > kills * 5)
    }

    /// Starts a process with unique transaction numbers.
    private func start(_ round: inout Int, _ folder: FaultFolder) throws -> CommitWriterProcess {
        round += 1
        return try CommitWriterProcess(.mixed, on: folder.database, first: round * 1_000_000)
    }

    @Test(arguments: [CommitWriterProcess.Kind.pool, .walQueue, .queue])
    func commitsAcknowledgedTooEarlyAreLost(kind: CommitWriterProcess.Kind) throws {
        try killEarlyWriter(kind)
    }

    private func killEarlyWriter(_ kind: CommitWriterProcess.Kind) throws {
        let process = try CommitWriterProcess(
            kind,
            on: folder.database,
            first: 1,
            acknowledgesEarly: true
        )
        try process.awaitCommits(1)
        let acknowledged = try process.kill()
        let remains = try remains(kind, in: folder)
        #expect(acknowledged.count == 1)
        #expect(remains.numbers.isEmpty)
        #expect(remains.isWhole)
        #expect(remains.integrity == "ok")
    }
}
