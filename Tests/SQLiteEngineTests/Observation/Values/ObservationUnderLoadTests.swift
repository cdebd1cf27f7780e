import Dispatch
import Synchronization
import Telemetry
import Testing

@testable import SQLiteEngine

/// Observations of a pool while it is busy.
@Suite(.timeLimit(.minutes(1)))
struct ObservationUnderLoadTests {
    private let folder = TemporaryFolder()

    private func observeCount(
        in pool: DatabasePool,
        _ onChange: @escaping @Sendable (Int) -> Void
    ) -> AnyDatabaseCancellable {
        ValueObservation.tracking { db in try db.rowCount() ?? -1 }.start(
            in: pool,
            scheduling: .async(onQueue: DispatchQueue(label: "told")),
            onError: { Issue.record($0) },
            onChange: onChange
        )
    }

    @Test func firstValuesDoNotWaitForALongWriteAndNoReaderIsHeldMeanwhile() throws {
        let pool = try DatabasePool.withTable(
            in: folder,
            configuration: .with { $0.maximumReaderCount = 1 }
        )
        let (isWriting, mayEnd) = (Gate(), Gate())
        let writing = Background {
            try pool.write { db in
                try db.insert(1)
                isWriting.open()
                try mayEnd.wait()
            }
        }
        try isWriting.wait()
        let told = Lock([Int](repeating: -1, count: 50))
        let cancellables = (0..<50).map { number in
            observeCount(in: pool) { value in told.withLock { $0[number] = value } }
        }
        try eventually { told.withLock { $0.allSatisfy { $0 == 0 } } }
        // They wait for the writer, and the only reader is free.
        #expect(try pool.rowCount() == 0)
        try eventually { pool.status().waitingWriters.count == 50 }
        mayEnd.open()
        try writing.value()
        // What was committed before they followed the writer is not lost.
        try eventually { told.withLock { $0.allSatisfy { $0 == 1 } } }
        for cancellable in cancellables { cancellable.cancel() }
    }

    @Test func everybodyEndsWithTheLastValue() throws {
        let pool = try DatabasePool.withTable(in: folder)
        let told = Lock([Int](repeating: -1, count: 100))
        let isInOrder = Lock(true)
        let cancellables = (0..<100).map { number in
            observeCount(in: pool) { value in
                told.withLock {
                    if value < $0[number] { isInOrder.withLock { $0 = false } }
                    $0[number] = value
                }
            }
        }
        for value in 1...500 { try pool.write { try $0.insert(value) } }
        try eventually { told.withLock { $0.allSatisfy { $0 == 500 } } }
        #expect(isInOrder.withLock { $0 })
        let status = try #require(pool.status().observations)
        #expect(status.active == 100)
        #expect(status.fetchesOnWriter == 0)
        // Far fewer than one fetch for each commit and observer: they are put together.
        #expect(status.fetchesOnReaders < 50_000)
        for cancellable in cancellables { cancellable.cancel() }
        try eventually { pool.status().observations?.active == 0 }
    }

    @Test func aChangeOfTheRegionWhileOthersWriteLosesNothing() throws {
        let pool = try DatabasePool.withTable(in: folder)
        try pool.write { db in
            try db.execute(sql: "CREATE TABLE a (v); CREATE TABLE b (v); CREATE TABLE which (n)")
            try db.execute(sql: "INSERT INTO which VALUES ('a')")
        }
        let told = Lock("")
        let cancellable = ValueObservation.tracking { db in
            let table = try String.fetchOne(db, sql: "SELECT n FROM which") ?? "a"
            return try "\(table) \(Int.fetchOne(db, sql: "SELECT count(*) FROM \(table)") ?? -1)"
        }.start(
            in: pool,
            scheduling: .async(onQueue: DispatchQueue(label: "told")),
            onError: { Issue.record($0) },
            onChange: { value in told.withLock { $0 = value } }
        )
        var random = SeededRandom(seed: 7)
        var counts = ["a": 0, "b": 0]
        var which = "a"
        for _ in 1...300 {
            let (changesTable, table) = (random.next() % 3 == 0, random.next() % 2 == 0 ? "a" : "b")
            try pool.write { db in
                if changesTable {
                    try db.execute(sql: "UPDATE which SET n = ?", arguments: [table])
                }
                try db.execute(sql: "INSERT INTO \(table) VALUES (1)")
            }
            if changesTable { which = table }
            counts[table, default: 0] += 1
        }
        let expected = "\(which) \(counts[which] ?? -1)"
        try eventually { told.withLock { $0 == expected } }
        cancellable.cancel()
    }
}
