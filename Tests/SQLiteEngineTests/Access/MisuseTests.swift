import SQLiteEngine
import Testing

/// Other mistakes of the programmer's that stop the program, and say why.
struct MisuseTests {
    private static let leftOpen =
        "A transaction has been left opened at the end of a database access"

    @Test func aTransactionThatAWriteLeavesOpenStopsTheProgram() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            endProcessAfterAWhile()
            let queue = try DatabaseQueue()
            try queue.writeWithoutTransaction { db in try db.beginTransaction() }
        }
        #expect(result?.message.contains(Self.leftOpen) == true)
    }

    @Test func aTransactionThatAnUnsafeReadLeavesOpenStopsTheProgram() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            endProcessAfterAWhile()
            let folder = TemporaryFolder()
            let pool = try DatabasePool(path: folder.file())
            try pool.unsafeRead { db in try db.beginTransaction() }
        }
        #expect(result?.message.contains(Self.leftOpen) == true)
    }

    @Test func aTransactionThatAnAsyncWriteLeavesOpenStopsTheProgram() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            endProcessAfterAWhile()
            let folder = TemporaryFolder()
            let pool = try DatabasePool(path: folder.file())
            try await pool.writeWithoutTransaction { db in try db.beginTransaction() }
        }
        #expect(result?.message.contains(Self.leftOpen) == true)
    }

    @Test func aTransactionMayStayOpenWhereThatIsAllowed() throws {
        let queue = try DatabaseQueue.withTable(
            configuration: .with { $0.allowsUnsafeTransactions = true }
        )
        try queue.writeWithoutTransaction { db in
            try db.beginTransaction()
            try db.insert(1)
        }
        try queue.writeWithoutTransaction { db in
            #expect(db.isInsideTransaction)
            try db.rollback()
            try #expect(db.rowCount() == 0)
        }
    }

    @Test func aSnapshotFromInsideATransactionStopsTheProgram() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            endProcessAfterAWhile()
            let folder = TemporaryFolder()
            let pool = try DatabasePool(path: folder.file())
            try pool.write { _ in _ = try pool.makeSnapshot() }
        }
        #expect(
            result?.message.contains("must not be called from inside a transaction") == true
        )
    }

    @Test func aPoolWithoutReadersStopsTheProgram() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            endProcessAfterAWhile()
            var configuration = Configuration()
            configuration.maximumReaderCount = 0
        }
        #expect(result?.message.contains("maximumReaderCount must be at least 1") == true)
    }
}
