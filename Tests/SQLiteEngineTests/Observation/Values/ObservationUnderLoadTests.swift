import Dispatch
import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import SQLiteEngine

/// Tests observations of a busy pool.
@Suite(.timeLimit(.minutes(1)))
struct ObservationUnderLoadTests {
    private let folder = TemporaryFolder()

    private func observeCount(
        in pool: DatabasePool,
        _ onChange: @escaping @Sendable (Int) -> Void
    ) -> AnyDatabaseCancellable {
        ValueObservation.tracking { db in try db.rowCount() ?? -1 }.start(in: pool, onChange)
    }

    /// Starts an observation of the row count for each element of `received`, which stores the
    /// observation's last value.
    private func observeCount(
        in pool: DatabasePool,
        _ received: Lock<[Int]>
    ) -> [AnyDatabaseCancellable] {
        (0..<received.withLock { $0.count }).map { number in
            observeCount(in: pool) { value in received.withLock { $0[number] = value } }
        }
    }

    @Test func firstValuesDoNotWaitForALongWriteOrForTheWriter() throws {
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
        let received = Lock([Int](repeating: -1, count: 50))
        let cancellables = observeCount(in: pool, received)
        // The write continues until all observations have received their first value.
        try eventually { received.withLock { $0.allSatisfy { $0 == 0 } } }
        // The only reader is free, and no access waits for the writer.
        #expect(try pool.rowCount() == 0)
        #expect(pool.status().waitingWriters.isEmpty)
        #expect(pool.status().waitingReaders.isEmpty)
        #expect(!writing.isDone)
        mayEnd.open()
        try writing.value()
        // No commit is lost, even if it precedes the moment at which the observations start to
        // follow the writer.
        try eventually { received.withLock { $0.allSatisfy { $0 == 1 } } }
        #expect(pool.status().observations?.fetchesOnWriter == 0)
        for cancellable in cancellables { cancellable.cancel() }
    }

    @Test func observationsThatStartDuringWritesMissNoCommit() throws {
        let pool = try DatabasePool.withTable(in: folder)
        let hasEnded = Lock(false)
        let writing = Background {
            var count = 0
            while !hasEnded.withLock({ $0 }) {
                count += 1
                try pool.write { [count] in try $0.insert(count) }
            }
            return count
        }
        let received = Lock([Int](repeating: -1, count: 60))
        var cancellables: [AnyDatabaseCancellable] = []
        for number in 0..<60 {
            cancellables.append(
                observeCount(in: pool) { value in received.withLock { $0[number] = value } }
            )
            try eventually { received.withLock { $0[number] >= 0 } }
            // Early observations end, so later observations must make the hub follow the writer
            // again.
            if number % 10 == 9, number < 50 { cancellables.removeAll() }
        }
        hasEnded.withLock { $0 = true }
        let count = try writing.value()
        try eventually { received.withLock { $0[50...].allSatisfy { $0 == count } } }
        for cancellable in cancellables { cancellable.cancel() }
    }

    @Test func manyQuickFetchesShareOneAccessPerCommit() throws {
        let pool = try DatabasePool.withTable(in: folder)
        // A fetch that is preempted is still classified as quick.
        pool.observationHub.quickFetch.store(.max, ordering: .relaxed)
        pool.observationHub.longestRound.store(.max, ordering: .relaxed)
        let received = Lock([Int](repeating: -1, count: 100))
        let cancellables = observeCount(in: pool, received)
        try eventually { received.withLock { $0.allSatisfy { $0 == 0 } } }
        func readerAccesses() -> UInt64 {
            pool.status().connections.filter { $0.role == .reader }
                .reduce(0) { $0 + $1.accessCount }
        }
        let accessesBefore = readerAccesses()
        try pool.write { try $0.insert(1) }
        try eventually { received.withLock { $0.allSatisfy { $0 == 1 } } }
        // The round uses one access. Observations whose first fetch has just ended use other
        // accesses.
        #expect(readerAccesses() - accessesBefore < 50)
        for cancellable in cancellables { cancellable.cancel() }
    }

    @Test(arguments: [false, true])
    func aLongFetchOrMapDelaysNoOtherObservation(isMap: Bool) throws {
        let pool = try DatabasePool.withTable(in: folder)
        let (isWaiting, mayEnd) = (Gate(), Gate())
        let wait = { @Sendable (count: Int) throws -> Int in
            let begin = monotonicNanoseconds()
            while monotonicNanoseconds() - begin < 2 * EngineTimings.quickFetch {}
            if count > 0 {
                isWaiting.open()
                try mayEnd.wait()
            }
            return count
        }
        let receivedLong = Lock(-1)
        let plain = ValueObservation.trackingConstantRegion { db in
            let count = try db.rowCount() ?? -1
            return isMap ? count : try wait(count)
        }
        let store = { @Sendable (value: Int) in receivedLong.withLock { $0 = value } }
        let cancellable =
            isMap ? plain.map(wait).start(in: pool, store) : plain.start(in: pool, store)
        try eventually { receivedLong.withLock { $0 == 0 } }
        let received = Lock([Int](repeating: -1, count: 20))
        let cancellables = observeCount(in: pool, received)
        try eventually { received.withLock { $0.allSatisfy { $0 == 0 } } }
        try pool.write { try $0.insert(1) }
        try isWaiting.wait()
        try eventually { received.withLock { $0.allSatisfy { $0 == 1 } } }
        #expect(receivedLong.withLock { $0 } == 0)
        mayEnd.open()
        try eventually { receivedLong.withLock { $0 == 1 } }
        for cancellable in cancellables + [cancellable] { cancellable.cancel() }
    }

    @Test func aBlockingFetchThatWasQuickDelaysNoLaterCommit() throws {
        let pool = try DatabasePool.withTable(in: folder)
        try pool.write { try $0.execute(sql: "CREATE TABLE u (a)") }
        let (isFetching, mayEnd) = (Gate(), Gate())
        let receivedBlocked = Lock(-1)
        let blocked = ValueObservation.trackingConstantRegion { db in
            let count = try db.rowCount() ?? -1
            if count > 0 {
                isFetching.open()
                try mayEnd.wait()
            }
            return count
        }
        .start(in: pool) { value in receivedBlocked.withLock { $0 = value } }
        // From this point, the hub follows commits and no write is running. The first fetch of the
        // second observation therefore shows a known state, and each observation uses a separate
        // round.
        let hub = pool.observationHub
        try eventually { hub.state.withLock { $0.isInstalled } && !pool.mayBeWriting }
        let received = Lock(-1)
        let other = ValueObservation.trackingConstantRegion { db in
            try Int.fetchOne(db, sql: "SELECT count(*) FROM u") ?? -1
        }
        .start(in: pool) { value in received.withLock { $0 = value } }
        try eventually { received.withLock { $0 == 0 } && receivedBlocked.withLock { $0 == 0 } }
        try pool.write { try $0.insert(1) }
        try isFetching.wait()
        // This commit occurs while the round has just started, and no other commit follows.
        try pool.write { try $0.execute(sql: "INSERT INTO u VALUES (1)") }
        try eventually { received.withLock { $0 == 1 } }
        #expect(receivedBlocked.withLock { $0 } == 0)
        mayEnd.open()
        try eventually { receivedBlocked.withLock { $0 == 1 } }
        blocked.cancel()
        other.cancel()
    }

    @Test func aBlockingFetchThatWasQuickDelaysNoOtherFetchOfItsRound() throws {
        let pool = try DatabasePool.withTable(in: folder)
        // All observations share a round.
        pool.observationHub.quickFetch.store(.max, ordering: .relaxed)
        pool.observationHub.longestRound.store(.max, ordering: .relaxed)
        let mayEnd = Gate()
        let received = Lock([Int](repeating: -1, count: 21))
        let cancellables = (0..<21).map { number in
            ValueObservation.trackingConstantRegion { db in
                let count = try db.rowCount() ?? -1
                if number == 10, count == 1 { try mayEnd.wait() }
                return count
            }
            .start(in: pool) { value in received.withLock { $0[number] = value } }
        }
        try eventually { received.withLock { $0.allSatisfy { $0 == 0 } } }
        try pool.write { try $0.insert(1) }
        // The blocked fetch delays neither earlier nor later observations.
        try eventually { received.withLock { $0.count { $0 == 1 } == 20 } }
        #expect(received.withLock { $0[10] } == 0)
        // The observations also follow later commits.
        try pool.write { try $0.insert(2) }
        try eventually { received.withLock { $0.count { $0 == 2 } == 20 } }
        mayEnd.open()
        try eventually { received.withLock { $0.allSatisfy { $0 == 2 } } }
        for cancellable in cancellables { cancellable.cancel() }
    }

    @Test func blockingFetchesLeaveAReaderForOtherAccesses() throws {
        let pool = try DatabasePool.withTable(
            in: folder,
            configuration: .with { $0.maximumReaderCount = 3 }
        )
        let hub = pool.observationHub
        hub.quickFetch.store(.max, ordering: .relaxed)
        hub.longestRound.store(.max, ordering: .relaxed)
        let (blockedCount, mayEnd) = (Lock(0), Gate())
        let received = Lock([Int](repeating: -1, count: 6))
        let cancellables = (0..<6).map { number in
            ValueObservation.trackingConstantRegion { db in
                let count = try db.rowCount() ?? -1
                if count == 1 {
                    blockedCount.withLock { $0 += 1 }
                    try mayEnd.wait()
                }
                return count
            }
            .start(in: pool) { value in received.withLock { $0[number] = value } }
        }
        try eventually { received.withLock { $0.allSatisfy { $0 == 0 } } }
        // The first fetches must have ended, because an unfinished fetch would start a separate
        // round.
        try eventually { pool.readers.slots.allSatisfy { !$0.isTaken } }
        try pool.write { try $0.insert(1) }
        try eventually { blockedCount.withLock { $0 == 2 } }
        // At the next check, the remaining observations stay in their round.
        hub.check(at: .max)
        #expect(hub.state.withLock { $0.dirty.isUnfinished })
        #expect(try Background { try pool.rowCount() }.value() == 1)
        for _ in 0..<6 { mayEnd.open() }
        try eventually { received.withLock { $0.allSatisfy { $0 == 1 } } }
        for cancellable in cancellables { cancellable.cancel() }
    }

    @Test func aBlockingMapThatWasQuickDelaysNoOtherObservation() throws {
        let pool = try DatabasePool.withTable(in: folder)
        let mayEnd = Gate()
        let received = Lock([Int](repeating: -1, count: 21))
        // The observation in the middle waits. Some of the other observations also have a map.
        let cancellables = (0..<21).map { number in
            let plain = ValueObservation.trackingConstantRegion { try $0.rowCount() ?? -1 }
            let store = { @Sendable (value: Int) in received.withLock { $0[number] = value } }
            if number % 3 == 0 { return plain.start(in: pool, store) }
            return plain.map { count in
                if number == 10, count == 1 { try mayEnd.wait() }
                return count
            }
            .start(in: pool, store)
        }
        try eventually { received.withLock { $0.allSatisfy { $0 == 0 } } }
        try pool.write { try $0.insert(1) }
        try eventually { received.withLock { $0.count { $0 == 1 } == 20 } }
        #expect(received.withLock { $0[10] } == 0)
        mayEnd.open()
        try eventually { received.withLock { $0.allSatisfy { $0 == 1 } } }
        for cancellable in cancellables { cancellable.cancel() }
    }

    @Test func everyObservationEndsWithTheLastValue() throws {
        let pool = try DatabasePool.withTable(in: folder)
        let received = Lock([Int](repeating: -1, count: 100))
        let isInOrder = Lock(true)
        let cancellables = (0..<100).map { number in
            observeCount(in: pool) { value in
                received.withLock {
                    if value < $0[number] { isInOrder.withLock { $0 = false } }
                    $0[number] = value
                }
            }
        }
        for value in 1...500 { try pool.write { try $0.insert(value) } }
        try eventually { received.withLock { $0.allSatisfy { $0 == 500 } } }
        #expect(isInOrder.withLock { $0 })
        let status = try #require(pool.status().observations)
        #expect(status.active == 100)
        #expect(status.fetchesOnWriter == 0)
        // Fetches are combined, so there are far fewer of them than commits times observers.
        #expect(status.fetchesOnReaders < 50_000)
        for cancellable in cancellables { cancellable.cancel() }
        try eventually { pool.status().observations?.active == 0 }
    }

    @Test func aRegionChangeDuringWritesMissesNoCommit() throws {
        let pool = try DatabasePool.withTable(in: folder)
        try pool.write { db in
            try db.execute(sql: "CREATE TABLE a (v); CREATE TABLE b (v); CREATE TABLE which (n)")
            try db.execute(sql: "INSERT INTO which VALUES ('a')")
        }
        let received = Lock("")
        let cancellable = ValueObservation.tracking { db in
            let table = try String.fetchOne(db, sql: "SELECT n FROM which") ?? "a"
            return try "\(table) \(Int.fetchOne(db, sql: "SELECT count(*) FROM \(table)") ?? -1)"
        }.start(in: pool) { value in received.withLock { $0 = value } }
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
        try eventually { received.withLock { $0 == expected } }
        cancellable.cancel()
    }
}

extension ValueObservation where Reducer: ValueReducer {
    /// Starts the observation with a queue for its notifications, and records its errors.
    fileprivate func start(
        in pool: DatabasePool,
        _ onChange: @escaping @Sendable (Reducer.Value) -> Void
    ) -> AnyDatabaseCancellable {
        start(
            in: pool,
            scheduling: .async(onQueue: DispatchQueue(label: "notifications")),
            onError: { Issue.record($0) },
            onChange: onChange
        )
    }
}
