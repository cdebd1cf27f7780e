import Telemetry
import Testing

@testable import Dashboard

struct BlockersTests {
    private func waiter(_ name: String, _ milliseconds: UInt64) -> WaiterStatus {
        WaiterStatus(
            origin: AccessOrigin(name: name),
            waitedNanoseconds: milliseconds * 1_000_000
        )
    }

    private func heldConnection(
        _ label: String,
        _ role: ConnectionRole,
        by name: String,
        for milliseconds: UInt64
    ) -> ConnectionStatus {
        ConnectionStatus(
            label: label,
            role: role,
            state: .closure,
            holder: AccessOrigin(name: name),
            heldNanoseconds: milliseconds * 1_000_000
        )
    }

    private var pool: DatabaseStatus {
        var database = DatabaseStatus(label: "d", kind: .pool)
        database.readers = ReaderPoolStatus(inUse: 2, open: 2, maximum: 2)
        database.connections = [
            heldConnection("d.writer", .writer, by: "import", for: 30),
            heldConnection("d.reader.1", .reader, by: "ui", for: 5),
            heldConnection("d.reader.2", .reader, by: "report", for: 900),
        ]
        return database
    }

    @Test func readersWaitForReadersAndWritersForTheWriter() {
        var database = pool
        database.waitingReaders = [waiter("ui", 12), waiter("ui", 3)]
        database.waitingWriters = [waiter("pay", 20)]
        let groups = Blockers.all(in: database)
        #expect(groups.map(\.resource) == ["a reader", "the writer"])
        #expect(groups.map(\.waiters) == ["2 reads", "1 write"])
        #expect(groups[0].holders.map { $0.holder?.name } == ["report", "ui"])
        #expect(groups[1].holders.map { $0.holder?.name } == ["import"])
        #expect(groups.allSatisfy { $0.remark == nil })
        #expect(WaitingAccess.all(in: database).map(\.name) == ["w1", "r1", "r2"])
    }

    @Test func aWaiterForAFreeReaderIsReported() {
        var database = pool
        database.readers?.inUse = 1
        database.waitingReaders = [waiter("ui", 1)]
        #expect(Blockers.all(in: database).first?.remark?.contains("will acquire it") == true)
    }

    @Test func readsAndWritesOfAQueueWaitForItsConnection() {
        var database = DatabaseStatus(label: "d", kind: .queue)
        database.connections = [heldConnection("d.queue", .queue, by: "import", for: 7)]
        database.waitingReaders = [waiter("ui", 1)]
        database.waitingWriters = [waiter("pay", 2), waiter("pay", 1)]
        let groups = Blockers.all(in: database)
        #expect(groups.map(\.waiters) == ["1 read and 2 writes"])
        #expect(groups.map(\.resource) == ["the connection"])
        #expect(groups.first?.holders.count == 1)
    }

    @Test func aLockOfAnotherProcessIsIdentified() {
        var database = pool
        database.connections[0].state = .waitingForLock
        let group = Blockers.all(in: database).first
        #expect(group?.resource == "a file lock")
        #expect(group?.remark?.contains("another process") == true)
        database.connections[1].transaction = .write
        let known = Blockers.all(in: database).first
        #expect(known?.holders.map(\.label) == ["d.reader.1"] && known?.remark == nil)
    }

    @Test func thereAreNoBlockersWithoutWaiters() {
        #expect(Blockers.all(in: pool).isEmpty)
    }
}
