import CSQLite
import Telemetry
import Testing

@testable import SQLiteEngine

/// Tests when a connection may keep its transaction.
///
/// The wal-index is in plain memory.
struct KeptReadTransactionTests {
    /// A wal-index whose fields a test can change.
    private final class Memory {
        let words = UnsafeMutablePointer<UInt32>.allocate(capacity: 34)

        init(frames: UInt32 = 10, backfill: UInt32 = 0) {
            words.initialize(repeating: 0, count: 34)
            commit(frames: frames)
            words[24] = backfill
        }

        deinit { words.deallocate() }

        /// Writes both copies of the header, like a commit.
        func commit(frames: UInt32, generation: UInt32 = 1) {
            for copy in [0, 12] {
                words[copy + 4] = frames
                words[copy + 8] = generation
            }
        }

        func checkpoint(_ frames: UInt32) { words[24] = frames }
    }

    /// A connection that has begun a transaction.
    private final class Connection {
        var transaction = KeptReadTransaction()
        private let memory: Memory

        init(_ memory: Memory, _ keeper: ReadTransactionKeeper) {
            self.memory = memory
            transaction.walIndex = UnsafeRawPointer(memory.words)
            transaction.keeper = Unmanaged.passUnretained(keeper)
            transaction.willBegin()
        }

        func willBegin() { transaction.willBegin() }
        func mayKeep(at now: UInt64, if isAllowed: () -> Bool = { true }) -> Bool {
            transaction.mayKeep(at: now, if: isAllowed)
        }
        func keep(at now: UInt64) { transaction.keep(at: now) }
        func didEnd() { transaction.didEnd() }
        var isCurrent: Bool { transaction.isCurrent() }
    }

    private let keeper = ReadTransactionKeeper()

    private func beginTransaction(on memory: Memory) -> Connection { Connection(memory, keeper) }

    @Test func aTransactionIsKeptBetweenFrequentAccesses() {
        let memory = Memory()
        let connection = beginTransaction(on: memory)
        #expect(!connection.mayKeep(at: 10_000_000))
        #expect(connection.mayKeep(at: 10_000_000 + EngineTimings.longestKeptGap - 1))
        #expect(!connection.mayKeep(at: 10_000_000 + 2 * EngineTimings.longestKeptGap))
    }

    @Test func aTransactionIsKeptForALimitedTime() {
        let memory = Memory()
        let connection = beginTransaction(on: memory)
        var now: UInt64 = 10_000_000
        _ = connection.mayKeep(at: now)
        connection.keep(at: now)
        // The timer may end the transaction up to `keptIdle` after the last access.
        let last = EngineTimings.longestKept - EngineTimings.keptIdle
        while now < 10_000_000 + last - 50_000 {
            now += 50_000
            #expect(connection.mayKeep(at: now))
        }
        now += 50_000
        #expect(!connection.mayKeep(at: now))
        connection.willBegin()
        now += 1
        #expect(connection.mayKeep(at: now))
    }

    @Test func aTransactionIsNotKeptAfterACommit() {
        let memory = Memory()
        let connection = beginTransaction(on: memory)
        _ = connection.mayKeep(at: 1_000_000)
        memory.commit(frames: 11)
        #expect(!connection.isCurrent)
        #expect(!connection.mayKeep(at: 1_000_001))
    }

    @Test func aTransactionIsNotKeptWhileAHeaderIsWritten() {
        let memory = Memory()
        memory.words[4] = 11
        let connection = beginTransaction(on: memory)
        _ = connection.mayKeep(at: 1_000_000)
        #expect(!connection.mayKeep(at: 1_000_001))
    }

    @Test func aTransactionThatPreventsARestartOfTheLogIsNotKept() {
        let memory = Memory(frames: 10, backfill: 4)
        let connection = beginTransaction(on: memory)
        memory.checkpoint(9)
        #expect(connection.isCurrent)
        // From this point on, a new transaction reads only the file, and a writer restarts the log.
        memory.checkpoint(10)
        #expect(!connection.isCurrent)
        #expect(connection.transaction.readsLastState())
        connection.willBegin()
        #expect(connection.isCurrent)
    }

    @Test func aTransactionIsNotKeptAfterTheCConnectionWasUsed() {
        let memory = Memory()
        let connection = beginTransaction(on: memory)
        _ = connection.mayKeep(at: 1_000_000)
        connection.transaction.isExposed = true
        #expect(!connection.mayKeep(at: 1_000_001))
    }

    @Test func noTransactionIsKeptForSomeTimeAfterAnotherProcessCommits() {
        let memory = Memory()
        let connection = beginTransaction(on: memory)
        connection.keep(at: 1)
        memory.commit(frames: 11)
        connection.didEnd()
        connection.willBegin()
        let now = monotonicNanoseconds()
        _ = connection.mayKeep(at: now)
        #expect(!connection.mayKeep(at: now + 1))
        let later = timeAfterPause(now)
        _ = connection.mayKeep(at: later)
        #expect(connection.mayKeep(at: later + 1))
        // While a checkpoint is pending, periods with and without keeping alternate.
        let next = later + EngineTimings.keepingTurn
        _ = connection.mayKeep(at: next)
        #expect(!connection.mayKeep(at: next + 1))
        memory.checkpoint(11)
        connection.willBegin()
        #expect(connection.mayKeep(at: next + 2))
    }

    /// Returns a time after the pause, in a period with kept transactions.
    private func timeAfterPause(_ now: UInt64) -> UInt64 {
        let end = now + 2 * keeper.pause.load(ordering: .relaxed)
        return (end / (2 * EngineTimings.keepingTurn) + 1) * (2 * EngineTimings.keepingTurn)
    }

    @Test func aCommitOfThisProcessIsNotTreatedAsExternal() {
        let memory = Memory()
        let connection = beginTransaction(on: memory)
        connection.keep(at: 1)
        keeper.writes.wrappingAdd(1, ordering: .relaxed)
        memory.commit(frames: 11)
        connection.didEnd()
        connection.willBegin()
        _ = connection.mayKeep(at: 10)
        #expect(connection.mayKeep(at: 11))
    }

    @Test func aWriteDuringTheDecisionIsNotTreatedAsExternal() {
        let memory = Memory()
        let connection = beginTransaction(on: memory)
        _ = connection.mayKeep(at: 1)
        let isKept = connection.mayKeep(at: 2) {
            // The writer starts after the reader has read the conditions.
            keeper.writes.wrappingAdd(1, ordering: .relaxed)
            return true
        }
        #expect(isKept)
        connection.keep(at: 2)
        memory.commit(frames: 11)
        connection.didEnd()
        connection.willBegin()
        _ = connection.mayKeep(at: 10)
        #expect(connection.mayKeep(at: 11))
    }

    @Test func noTransactionIsKeptWhileALongExternalLogAwaitsACheckpoint() {
        let memory = Memory(frames: ReadTransactionKeeper.longLog - 1)
        let connection = beginTransaction(on: memory)
        connection.keep(at: 1)
        memory.commit(frames: ReadTransactionKeeper.longLog)
        connection.didEnd()
        func mayKeep(at now: UInt64) -> Bool {
            connection.willBegin()
            _ = connection.mayKeep(at: now)
            return connection.mayKeep(at: now + 1)
        }
        let later = timeAfterPause(monotonicNanoseconds())
        #expect(!mayKeep(at: later))
        memory.checkpoint(ReadTransactionKeeper.longLog - 1)
        #expect(!mayKeep(at: later + 100))
        memory.checkpoint(ReadTransactionKeeper.longLog)
        #expect(mayKeep(at: later + 200))
        // This is a new log, to which the other process may also have written.
        memory.checkpoint(0)
        memory.commit(frames: 2 * ReadTransactionKeeper.longLog, generation: 2)
        #expect(!mayKeep(at: later + 300))
        #expect(mayKeep(at: later + 2 * EngineTimings.foreignWriterMemory))
    }

    @Test func aLongExternalLogStaysRecorded() {
        let memory = Memory(frames: ReadTransactionKeeper.longLog - 1)
        let connection = beginTransaction(on: memory)
        connection.keep(at: 1)
        memory.commit(frames: ReadTransactionKeeper.longLog)
        connection.didEnd()
        connection.willBegin()
        let later = timeAfterPause(monotonicNanoseconds()) + 2 * EngineTimings.foreignWriterMemory
        _ = connection.mayKeep(at: later)
        #expect(!connection.mayKeep(at: later + 1))
    }
}
