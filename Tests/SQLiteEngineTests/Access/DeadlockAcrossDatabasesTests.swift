import Telemetry
import TestSupport
import Testing

@testable import SQLiteEngine

/// Tests wait cycles across several pools and queues, and across holders of several connections.
@Suite(.timeLimit(.minutes(1)))
struct DeadlockAcrossDatabasesTests {
    private let folder = TemporaryFolder()

    private func makePool(
        _ label: String = "P",
        readers: Int = 1,
        _ change: (inout Configuration) -> Void = { _ in }
    ) throws -> DatabasePool {
        var configuration = Configuration()
        configuration.label = label
        configuration.maximumReaderCount = readers
        change(&configuration)
        let pool = try DatabasePool(path: folder.file(label), configuration: configuration)
        try pool.write { db in try db.execute(sql: "CREATE TABLE t (v UNIQUE)") }
        return pool
    }

    private func makeQueue(
        _ label: String = "Q",
        _ change: (inout Configuration) -> Void = { _ in }
    ) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.label = label
        change(&configuration)
        return try DatabaseQueue.withTable(configuration: configuration)
    }

    private static let waiting = AccessLabel("waits first")

    @Test func inACycleOfQueuesOneAccessThrows() throws {
        let queues = try (0..<3).map { try makeQueue("Q\($0)") }
        let gate = Gate()
        let threads = try queues.indices.map { index in
            try startWrite(queues[index], gate) {
                try queues[(index + 1) % 3].write { db in try db.insert(index) }
            }
        }
        for _ in threads { gate.open() }
        let errors = threads.compactMap { thread in databaseError { try thread.value() } }
        #expect(errors.map(\.resultCode) == [.SQLITE_LOCKED])
        for label in ["Q0", "Q1", "Q2"] {
            #expect(errors.first?.message?.contains("holds \(label) ") == true)
            #expect(errors.first?.message?.contains("waits for \(label)") == true)
        }
        let rows = try queues.map { try $0.rowCount() ?? 0 }
        #expect(rows.reduce(0, +) == 2)
    }

    @Test func inACycleOfTwoPoolsOneAccessThrows() throws {
        let pools = try [makePool("A"), makePool("B", readers: 2)]
        let gate = Gate()
        let read = try startRead(pools[0], gate) {
            try pools[1].write { db in try db.insert(1) }
        }
        let write = try startWrite(pools[1], gate) {
            _ = try pools[0].rowCount()
        }
        for _ in 0..<2 { gate.open() }
        let errors = [read, write].compactMap { thread in databaseError { try thread.value() } }
        #expect(errors.map(\.resultCode) == [.SQLITE_LOCKED])
        #expect(errors.first?.message?.contains("A.reader.1") == true)
        #expect(errors.first?.message?.contains("B.writer") == true)
    }

    @Test func aNonthrowingClosureReceivesAConnectionWhoseStatementsThrow() throws {
        let queues = try [makeQueue("A"), makeQueue("B")]
        let gate = Gate()
        let other = try startWrite(queues[0], gate) {
            try queues[1].write(as: Self.waiting) { db in try db.insert(1) }
        }
        let error: DatabaseError? = try queues[1].write { _ in
            gate.open()
            try awaitNestedWait(Self.waiting)
            return queues[0].inDatabase { db in databaseError { try db.insert(2) } }
        }
        #expect(error?.resultCode == .SQLITE_LOCKED)
        #expect(error?.message?.contains("waits for A") == true)
        try other.value()
        try #expect(queues[0].rowCount() == 0)
    }

    // MARK: Slots that a thread holds outside an access

    @Test func aConnectionIsHeldWhileItIsOpened() throws {
        let queue = try makeQueue()
        let mustWait = Lock(false)
        let label = Self.waiting
        let pool = try makePool { configuration in
            configuration.prepareDatabase { _ in
                guard mustWait.withLock({ $0 }) else { return }
                try queue.write(as: label) { db in try db.insert(1) }
            }
        }
        mustWait.withLock { $0 = true }
        let gate = Gate()
        let other = try startWrite(queue, gate) {
            try awaitNestedWait(label)
            _ = try pool.rowCount()
        }
        let read = Background { try pool.rowCount() }
        gate.open()
        let error = databaseError { try other.value() }
        #expect(error?.resultCode == .SQLITE_LOCKED)
        #expect(error?.message?.contains("holds P.reader.1 ") == true)
        try #expect(read.value() == 0)
    }

    /// Runs `body` on a new thread on behalf of the calling thread, like an access with a target
    /// queue.
    private func runOnAnotherThread(_ body: @escaping @Sendable () throws -> Void) throws {
        let caller = UncheckedBox(ThreadState.current)
        try Background {
            ThreadState.current.pointee.caller = caller.value
            defer { ThreadState.current.pointee.caller = nil }
            try body()
        }
        .value()
    }

    @Test func aThreadHoldsItsConnectionsWhileItWaitsForAnotherThread() throws {
        let pool = try makePool()
        let queue = try makeQueue()
        let gate = Gate()
        let read = try startRead(pool, gate) {
            try queue.write { _ in
                try runOnAnotherThread {
                    try pool.write(as: Self.waiting) { db in try db.insert(1) }
                }
            }
        }
        let error = databaseError {
            try pool.write { _ in
                gate.open()
                try awaitNestedWait(Self.waiting)
                _ = try pool.rowCount()
            }
        }
        #expect(error?.resultCode == .SQLITE_LOCKED)
        #expect(error?.message?.contains("holds Q ") == true)
        #expect(error?.message?.contains("holds P.reader.1 ") == true)
        try read.value()
    }

    @Test func anAccessThatWaitsForItsOwnThreadThrows() throws {
        let pool = try makePool()
        let error = databaseError {
            try pool.read { _ in try runOnAnotherThread { _ = try pool.rowCount() } }
        }
        #expect(error?.resultCode == .SQLITE_LOCKED)
        #expect(error?.message?.contains("waits for P.reader.1") == true)
    }

    @Test func aWriteInsideAReadBorrowsTheWriterEvenOnAnotherThread() throws {
        let pool = try makePool()
        let gate = Gate()
        let read = try startRead(pool, gate) {
            try runOnAnotherThread { try pool.write { db in try db.insert(1) } }
        }
        let barrier = Background {
            try pool.barrierWriteWithoutTransaction { db in try db.rowCount() }
        }
        try eventually { pool.writer.slots[0].claim(from: AccessSlot.State.reserved) }
        pool.writer.slots[0].free(AccessSlot.State.reserved)
        gate.open()
        try read.value()
        try #expect(barrier.value() == 1)
    }

    // MARK: Snapshots

    @Test func snapshotsCanBePartOfACycle() throws {
        let pool = try makePool()
        let queue = try makeQueue()
        let snapshot = try pool.makeSnapshot()
        let gate = Gate()
        let read = try startRead(snapshot, gate) {
            try queue.write { db in try db.insert(1) }
        }
        let write = try startWrite(queue, gate) {
            _ = try snapshot.read { db in try db.rowCount() }
        }
        for _ in 0..<2 { gate.open() }
        let errors = [read, write].compactMap { thread in databaseError { try thread.value() } }
        #expect(errors.map(\.resultCode) == [.SQLITE_LOCKED])
    }

    /// A connection that has ended its snapshot's transaction cannot serve the accesses that wait
    /// for the snapshot.
    @Test func theLossOfASnapshotConnectionCanCompleteACycle() throws {
        let pool = try makePool(readers: 2)
        let queue = try makeQueue()
        let snapshot = try pool.makeSnapshotPool()
        let hasBegun = Gate()
        let mayCommit = Gate()
        let gate = Gate()
        let losing = Background {
            try snapshot.read { db in
                hasBegun.open()
                try mayCommit.wait()
                try db.execute(sql: "COMMIT")
            }
        }
        try hasBegun.wait()
        let read = try startRead(snapshot, gate) {
            try queue.write(as: Self.waiting) { db in try db.insert(1) }
        }
        let write = try startWrite(queue, gate) {
            try awaitNestedWait(Self.waiting)
            _ = try snapshot.read(as: AccessLabel("closes")) { db in try db.rowCount() }
        }
        for _ in 0..<2 { gate.open() }
        try awaitNestedWait(AccessLabel("closes"))
        mayCommit.open()
        try losing.value()
        let errors = [read, write].compactMap { thread in databaseError { try thread.value() } }
        #expect(errors.map(\.resultCode) == [.SQLITE_LOCKED])
    }
}
