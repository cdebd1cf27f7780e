import TestSupport
import Testing

@testable import SQLiteEngine

/// Tests queues, pools, and snapshots in generic code.
@Suite(.timeLimit(.minutes(1)))
struct ReaderProtocolTests {
    private let folder = TemporaryFolder()

    private func makeWriters() throws -> [any DatabaseWriter] {
        let pool = try DatabasePool.withTable(in: folder)
        let queue = try DatabaseQueue.withTable()
        return [pool, queue, AnyDatabaseWriter(pool), AnyDatabaseWriter(queue)]
    }

    @Test func everyWriterWritesAndReads() throws {
        for (number, writer) in try makeWriters().enumerated() {
            let rowCountBefore = try writer.read { db in try db.rowCount() ?? 0 }
            try writer.write { db in try db.insert(10 * number) }
            try writer.writeWithoutTransaction { db in
                #expect(!db.isInsideTransaction)
                try db.insert(10 * number + 1)
            }
            try writer.unsafeReentrantWrite { db in try db.insert(10 * number + 2) }
            try writer.barrierWriteWithoutTransaction { db in try db.insert(10 * number + 3) }
            try #expect(writer.unsafeRead { db in try db.rowCount() } == rowCountBefore + 4)
            try #expect(
                writer.unsafeReentrantRead { db in try db.rowCount() } == rowCountBefore + 4
            )
            #expect(throws: ThrownError.self) {
                try writer.write { db in
                    try db.insert(10 * number + 4)
                    throw ThrownError()
                }
            }
            try #expect(writer.read { db in try db.rowCount() } == rowCountBefore + 4)
        }
    }

    @Test func everyWriterSupportsAsyncAccesses() async throws {
        for (number, writer) in try makeWriters().enumerated() {
            let rowCountBefore = try await writer.read { db in try db.rowCount() ?? 0 }
            try await writer.write { db in try db.insert(10 * number) }
            try await writer.writeWithoutTransaction { db in try db.insert(10 * number + 1) }
            try await writer.barrierWriteWithoutTransaction { db in
                try db.insert(10 * number + 2)
            }
            #expect(try await writer.read { db in try db.rowCount() } == rowCountBefore + 3)
            #expect(try await writer.unsafeRead { db in try db.rowCount() } == rowCountBefore + 3)
        }
    }

    @Test func everyReaderReads() throws {
        let pool = try DatabasePool.withTable(in: folder)
        try pool.write { db in try db.insert(1) }
        let snapshot = try pool.makeSnapshot()
        let snapshotPool = try pool.makeSnapshotPool()
        let readers: [any DatabaseReader] = [
            pool, snapshot, snapshotPool, AnyDatabaseReader(snapshot),
        ]
        func count(_ reader: some DatabaseReader) throws -> Int? {
            try reader.read { db in try db.rowCount() }
        }
        for reader in readers {
            try #expect(count(reader) == 1)
            try #expect(reader.unsafeRead { db in try db.rowCount() } == 1)
            try #expect(reader.unsafeReentrantRead { db in try db.rowCount() } == 1)
            #expect(reader.path == folder.file())
            #expect(!reader.status().isClosed)
        }
        let snapshots: [any DatabaseSnapshotReader] = [snapshot, snapshotPool]
        for reader in snapshots {
            try #expect(reader.read { _ in try reader.reentrantRead { try $0.rowCount() } } == 1)
            try reader.close()
            #expect(throws: DatabaseError.self) { try count(reader) }
        }
    }

    @Test func theHolderIsTheCallSiteOfTheAccess() throws {
        let pool = try DatabasePool.withTable(in: folder)
        let reader: any DatabaseReader = AnyDatabaseReader(pool)
        let line: UInt = #line + 1
        try reader.read { _ in
            let holder = pool.status().connections.last?.holder?.name
            #expect(holder == "ReaderProtocolTests.swift:\(line)")
        }
        try reader.read(as: AccessLabel("report")) { _ in
            #expect(pool.status().connections.last?.holder?.name == "report")
        }
    }

    @Test func aNonthrowingClosureRequiresNoTry() throws {
        let queue = try DatabaseQueue.withTable()
        #expect(!queue.inDatabase { db in db.isInsideTransaction })
        #expect(!queue.writeWithoutTransaction { db in db.isInsideTransaction })
        let snapshot = try DatabasePool.withTable(in: folder).makeSnapshot()
        #expect(snapshot.read { db in db.isInsideTransaction })
    }

    @Test func aNonthrowingClosureReceivesAClosedConnection() throws {
        let queue = try DatabaseQueue.withTable()
        try queue.close()
        let error = queue.inDatabase { db in
            #expect(!db.isInsideTransaction)
            return #expect(throws: DatabaseError.self) { try db.rowCount() }
        }
        #expect(error?.resultCode == .SQLITE_MISUSE)
        #expect(error?.message == "Connection is closed")
    }

    @Test func aClosureKeepsTheTypeOfItsError() throws {
        let queue = try DatabaseQueue.withTable()
        do throws(ThrownError) {
            try queue.inDatabase { (_) throws(ThrownError) in throw ThrownError() }
            Issue.record("no error was thrown")
        } catch {}
    }

    @Test func anUnsafeReentrantReadInsideAWriteUsesTheWriter() throws {
        let pool = try DatabasePool.withTable(in: folder)
        try pool.write { outer in
            try outer.insert(1)
            try pool.unsafeReentrantRead { inner in
                #expect(inner === outer)
                try #expect(inner.rowCount() == 1)
            }
        }
    }
}

/// Tests which connections a thread may use.
struct SchedulingWatchdogTests {
    @Test func aThreadMayUseTheConnectionsOfItsAccesses() throws {
        let outer = try DatabaseQueue()
        let inner = try DatabaseQueue()
        #expect(SchedulingWatchdog.current == nil)
        outer.inDatabase { first in
            let second = inner.inDatabase { second in
                #expect(SchedulingWatchdog.current?.allows(first) == true)
                #expect(SchedulingWatchdog.current?.allows(second) == true)
                return second
            }
            #expect(SchedulingWatchdog.current?.allows(first) == true)
            #expect(SchedulingWatchdog.current?.allows(second) == false)
        }
        #expect(SchedulingWatchdog.current == nil)
    }
}
