import Foundation
import Isolation
import IsolationPeer
import TestSupport
import Testing

@testable import SQLiteEngine

/// Tests that the engine isolates the transactions of all kinds of accesses.
///
/// Each history must be strictly serializable.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct EngineIsolationTests {
    private let folder = TemporaryFolder()

    /// The divisor for the number of transactions, used with Thread Sanitizer and with random
    /// pauses (`./test --naps`).
    ///
    /// With pauses, each transaction takes about 15 times as long. One pause is as effective as
    /// many transactions in which no other thread intervenes.
    private static let divisor: Int = {
        #if THREAD_SANITIZER
        4
        #else
        ProcessInfo.processInfo.environment["NAPS_SEED"] == nil ? 1 : 4
        #endif
    }()

    /// Returns a configuration that waits for the locks of other connections, but not for the disk.
    private func makeConfiguration(
        _ change: (inout Configuration) -> Void = { _ in }
    ) -> Configuration {
        var configuration = Configuration()
        configuration.busyMode = .timeout(10)
        configuration.prepareDatabase { db in
            if !db.configuration.readonly { try db.execute(sql: "PRAGMA synchronous = OFF") }
        }
        change(&configuration)
        return configuration
    }

    /// Returns a queue in WAL mode.
    private func makeWALQueue() throws -> DatabaseQueue {
        try DatabaseQueue(
            path: folder.file(),
            configuration: makeConfiguration { $0.journalMode = .wal }
        )
    }

    private func makePool(
        _ change: (inout Configuration) -> Void = { _ in }
    ) throws -> DatabasePool {
        try DatabasePool(path: folder.file(), configuration: makeConfiguration(change))
    }

    private func createTable(in writer: some DatabaseWriter) throws {
        try writer.write { try ObjectTable.engineTests.create(in: $0) }
    }

    private func makePeer(
        _ kind: IsolationPeerProcess.Kind,
        transactions: Int = 300,
        seed: UInt64 = 11
    ) throws -> IsolationPeerProcess {
        try IsolationPeerProcess(
            kind,
            on: folder.file(),
            seed: seed,
            transactions: transactions
        )
    }

    /// Runs all sessions, and expects neither errors nor anomalies.
    private func expectIsolation(
        _ databases: [(String, any DatabaseReader)],
        _ count: Int,
        seed: UInt64,
        peers: [IsolationPeerProcess] = []
    ) async throws {
        let run = IsolationRun(databases)
        let count = count / Self.divisor
        try await runOnNewThread { try run.run(count, seed: seed, peers: peers) }
        expectNoAnomaly(in: run.history)
        #expect(run.failures.isEmpty, "\(run.failures.prefix(5))")
        let sessions = databases.reduce(0) { $0 + SessionRole.all(on: $1.1).count }
        let committed = run.history.transactions.count { $0.outcome == .committed }
        #expect(committed > sessions * count / 2)
    }

    private func expectNoAnomaly(in history: History) {
        let anomalies = IsolationCheck().anomalies(of: history)
        #expect(anomalies.isEmpty, "\(anomalies.map(\.description).joined(separator: "\n"))")
    }

    // MARK: One process

    @Test(arguments: [1, 4], [true, false])
    func aPoolIsIsolated(readers: Int, keepsReadTransactions: Bool) async throws {
        let pool = try makePool {
            $0.maximumReaderCount = readers
            $0.keepsReadTransactions = keepsReadTransactions
        }
        try createTable(in: pool)
        try await expectIsolation([("pool", pool)], 200, seed: 1)
        try pool.close()
    }

    @Test func aQueueWithARollbackJournalIsIsolated() async throws {
        let queue = try DatabaseQueue(path: folder.file(), configuration: makeConfiguration())
        try createTable(in: queue)
        try await expectIsolation([("queue", queue)], 250, seed: 2)
    }

    @Test func aQueueWithAWriteAheadLogIsIsolated() async throws {
        let queue = try makeWALQueue()
        try createTable(in: queue)
        try await expectIsolation([("queue", queue)], 250, seed: 3)
    }

    @Test func anInMemoryQueueIsIsolated() async throws {
        let queue = try DatabaseQueue()
        try createTable(in: queue)
        try await expectIsolation([("memory", queue)], 250, seed: 4)
    }

    @Test func twoPoolsOfOneFileAreIsolated() async throws {
        let (first, second) = (try makePool(), try makePool())
        try createTable(in: first)
        try await expectIsolation([("first", first), ("second", second)], 200, seed: 5)
    }

    @Test(arguments: [true, false])
    func aPoolIsIsolatedFromAReadOnlyPoolAndAQueue(keepsReadTransactions: Bool) async throws {
        let pool = try makePool { $0.keepsReadTransactions = keepsReadTransactions }
        try createTable(in: pool)
        let queue = try makeWALQueue()
        let readOnlyPool = try makePool {
            $0.readonly = true
            $0.keepsReadTransactions = keepsReadTransactions
        }
        try await expectIsolation(
            [("pool", pool), ("read-only", readOnlyPool), ("queue", queue)],
            150,
            seed: 6
        )
    }

    // MARK: Several processes

    @Test(arguments: [IsolationPeerProcess.Kind.sqlite, .pool])
    func aPoolIsIsolatedFromAnotherProcess(kind: IsolationPeerProcess.Kind) async throws {
        let pool = try makePool()
        try createTable(in: pool)
        let peer = try makePeer(kind)
        try await expectIsolation([("pool", pool)], 200, seed: 7, peers: [peer])
    }

    @Test(arguments: [true, false])
    func aReadOnlyPoolIsIsolatedFromAProcessThatWrites(keepsReadTransactions: Bool) async throws {
        let pool = try makePool()
        try createTable(in: pool)
        let readOnlyPool = try makePool {
            $0.readonly = true
            $0.keepsReadTransactions = keepsReadTransactions
        }
        try pool.close()
        let peer = try makePeer(.sqlite, transactions: 1000)
        try await expectIsolation([("read-only", readOnlyPool)], 400, seed: 8, peers: [peer])
    }

    @Test(arguments: [IsolationPeerProcess.Kind.sqlite, .walQueue])
    func aQueueWithAWriteAheadLogIsIsolatedFromAnotherProcess(
        kind: IsolationPeerProcess.Kind
    ) async throws {
        let queue = try makeWALQueue()
        try createTable(in: queue)
        let peer = try makePeer(kind)
        try await expectIsolation([("queue", queue)], 150, seed: 9, peers: [peer])
    }

    @Test(arguments: [IsolationPeerProcess.Kind.sqlite, .queue])
    func aQueueWithARollbackJournalIsIsolatedFromAnotherProcess(
        kind: IsolationPeerProcess.Kind
    ) async throws {
        let queue = try DatabaseQueue(path: folder.file(), configuration: makeConfiguration())
        try createTable(in: queue)
        let peer = try makePeer(kind, transactions: 100)
        try await expectIsolation([("queue", queue)], 40, seed: 10, peers: [peer])
    }

    @Test func commitsOfAKilledProcessPersist() async throws {
        let pool = try makePool()
        try createTable(in: pool)
        for kill in 1...3 {
            let peer = try IsolationPeerProcess(
                .sqlite,
                on: folder.file(),
                seed: UInt64(kill),
                transactions: 100_000,
                number: kill
            )
            try peer.start()
            let lines = 40 * kill
            let run = IsolationRun([("pool", pool)])
            try await runOnNewThread {
                run.add(try peer.killedHistory(afterLines: lines))
                try run.readEverything(rounds: 8)
            }
            expectNoAnomaly(in: run.history)
            try await pool.write { try ObjectTable.engineTests.clear(in: $0) }
        }
    }

    // MARK: The check itself

    @Test func statementsWithoutATransactionAreNotIsolated() throws {
        let pool = try makePool()
        try createTable(in: pool)
        let recorder = HistoryRecorder()
        let table = ObjectTable.engineTests
        let reading = recorder.begin("unsafeRead", in: recorder.addSession("reader"))
        let writing = recorder.begin("write", in: recorder.addSession("writer"))
        try pool.unsafeRead { db in
            try table.read(.list(1), in: db, reading)
            try Background {
                try pool.write { db in
                    try table.append(1, toList: 1, in: db, writing)
                    try table.append(2, toList: 2, in: db, writing)
                    writing.willCommit()
                }
                writing.end(.committed)
            }.value()
            try table.read(.list(2), in: db, reading)
        }
        reading.end(.committed)
        let last = recorder.begin("read", in: recorder.addSession("last"))
        try pool.read { try table.read(.list(1), in: $0, last) }
        last.end(.committed)
        let kinds = Set(IsolationCheck().anomalies(of: recorder.history).map(\.kind))
        #expect(kinds.contains(.readSkew))
    }
}
