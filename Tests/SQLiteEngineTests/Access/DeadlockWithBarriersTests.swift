import Telemetry
import TestSupport
import Testing

@testable import SQLiteEngine

/// Tests wait cycles with barriers and other accesses that acquire all connections of a pool.
@Suite(.timeLimit(.minutes(1)))
struct DeadlockWithBarriersTests {
    private let folder = TemporaryFolder()

    private func makePool(readers: Int = 1) throws -> DatabasePool {
        try DatabasePool.withTable(
            in: folder,
            configuration: .with {
                $0.label = "P"
                $0.maximumReaderCount = readers
            }
        )
    }

    /// An operation that acquires all connections of a pool.
    enum ExclusiveOperation: CaseIterable {
        case barrier
        case callbackBarrier
        case awaitedBarrier
        case close
        case releaseMemory

        /// Starts the operation on a new thread.
        func begin(_ pool: DatabasePool) -> Background<Void> {
            Background {
                switch self {
                case .barrier: try pool.barrierWriteWithoutTransaction { _ in }
                case .callbackBarrier:
                    try result { fulfill in
                        pool.asyncBarrierWriteWithoutTransaction { fulfill($0.map { _ in }) }
                    }
                case .awaitedBarrier:
                    try result { fulfill in
                        Task {
                            do {
                                try await pool.barrierWriteWithoutTransaction { _ in }
                                fulfill(.success(()))
                            } catch {
                                fulfill(.failure(error))
                            }
                        }
                    }
                case .close: try pool.close()
                case .releaseMemory: pool.releaseMemory()
                }
            }
        }

        private func result(
            _ start: (@escaping @Sendable (Result<Void, any Error>) -> Void) -> Void
        ) throws {
            let outcome = Lock<Result<Void, any Error>?>(nil)
            let isDone = Gate()
            start { result in
                outcome.withLock { $0 = result }
                isDone.open()
            }
            try isDone.wait()
            try outcome.withLock { $0 }?.get()
        }
    }

    /// Three waits form a cycle.
    ///
    /// The read waits for the queue. The holder of the queue waits for the writer. The operation
    /// has reserved the writer and waits for the read.
    @Test(arguments: ExclusiveOperation.allCases)
    func anOperationOnAllConnectionsIsPartOfACycle(operation: ExclusiveOperation) throws {
        let pool = try makePool()
        let queue = try DatabaseQueue.withTable()
        let gates = (read: Gate(), write: Gate())
        let read = try startRead(pool, gates.read) {
            try queue.write { db in try db.insert(1) }
        }
        let write = try startWrite(queue, gates.write) {
            try pool.write { db in try db.insert(1) }
        }
        let operationThread = operation.begin(pool)
        try eventually { pool.writer.slots[0].claim(from: AccessSlot.State.reserved) }
        pool.writer.slots[0].free(AccessSlot.State.reserved)
        gates.read.open()
        gates.write.open()
        let errors = [read, write, operationThread].compactMap { thread in
            databaseError { try thread.value() }
        }
        let refused = errors.filter { $0.resultCode == .SQLITE_LOCKED }
        // A refused request to release memory does not throw an error.
        #expect(refused.count <= 1 && (refused.count == 1 || operation == .releaseMemory))
        // The pool may be closed before the write acquires the writer.
        let others = errors.filter { $0.resultCode != .SQLITE_LOCKED }
        #expect(others.allSatisfy { operation == .close && $0.resultCode == .SQLITE_MISUSE })
    }

    /// Three waits form the same cycle, but the operation starts to wait last.
    @Test(arguments: ExclusiveOperation.allCases)
    func anOperationThatCompletesACycleIsRefused(operation: ExclusiveOperation) throws {
        let pool = try makePool()
        let queue = try DatabaseQueue.withTable()
        let gates = (read: Gate(), write: Gate(), first: Gate())
        let first = try startWrite(pool, gates.first) {}
        let read = try startRead(pool, gates.read) {
            try queue.write(as: AccessLabel("read")) { db in try db.insert(1) }
        }
        let write = try startWrite(queue, gates.write) {
            try pool.write(as: AccessLabel("write")) { db in try db.insert(1) }
        }
        let operationThread = operation.begin(pool)
        try eventually { pool.writer.queue.withLock { $0.waiters.count == 1 } }
        gates.read.open()
        try awaitNestedWait(AccessLabel("read"))
        gates.write.open()
        try awaitNestedWait(AccessLabel("write"))
        gates.first.open()
        try first.value()
        let error = databaseError { try operationThread.value() }
        #expect(error?.resultCode == (operation == .releaseMemory ? nil : .SQLITE_LOCKED))
        if let error { #expect(error.message?.contains("has reserved P.writer") == true) }
        try read.value()
        try write.value()
        try #expect(pool.rowCount() == 1)
        try #expect(queue.rowCount() == 1)
    }

    @Test(arguments: [ExclusiveOperation.barrier, .callbackBarrier, .awaitedBarrier])
    func aBarrierHoldsAllReadersWhileItsClosureRuns(operation: ExclusiveOperation) throws {
        let pool = try makePool(readers: 3)
        let queue = try DatabaseQueue.withTable()
        let gate = Gate()
        let label = AccessLabel("waits first")
        let barrierError = Lock<DatabaseError?>(nil)
        let isDone = Gate()
        @Sendable func writeInside() {
            let error = databaseError { try queue.write(as: label) { db in try db.insert(1) } }
            barrierError.withLock { $0 = error }
            isDone.open()
        }
        let other = try startWrite(queue, gate) {
            try awaitNestedWait(label)
            _ = try pool.rowCount()
        }
        switch operation {
        case .callbackBarrier:
            pool.asyncBarrierWriteWithoutTransaction { _ in writeInside() }
        case .awaitedBarrier:
            Task { try await pool.barrierWriteWithoutTransaction { _ in writeInside() } }
        default:
            _ = Background { try pool.barrierWriteWithoutTransaction { _ in writeInside() } }
        }
        gate.open()
        let error = databaseError { try other.value() }
        #expect(error?.resultCode == .SQLITE_LOCKED)
        for reader in 1...3 {
            #expect(error?.message?.contains("holds P.reader.\(reader) ") == true)
        }
        try isDone.wait()
        #expect(barrierError.withLock { $0 } == nil)
    }
}
