import Dispatch
import SQLiteEngine
import SQLiteEngineCombine
import Telemetry
import Testing

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif

/// Tests publishers of observations.
@Suite(.timeLimit(.minutes(1)))
struct ObservationPublisherTests {
    private static let countObservation = ValueObservation.trackingConstantRegion { db in
        try db.count()
    }
    private let queue = DispatchQueue(label: "notifications")

    @Test(arguments: Kind.allCases)
    func valuesArePublishedInOrder(kind: Kind) throws {
        let database = try TestDatabase(kind)
        let recorder = Recorder<Int>()
        Self.countObservation.publisher(in: database.writer, scheduling: .async(onQueue: queue))
            .subscribe(recorder)
        try recorder.waitUntil { $0.values == ["0"] }
        for value in 1...20 { try database.insert(value) }
        try recorder.waitUntil { $0.values.last == "20" }
        let numbers = recorder.values.compactMap(Int.init)
        #expect(numbers == numbers.sorted() && !recorder.hasEnded)
        recorder.cancel()
    }

    @Test(arguments: Kind.allCases)
    @MainActor
    func theFirstValueCanArriveDuringTheSubscription(kind: Kind) throws {
        let database = try TestDatabase(kind)
        let recorder = Recorder<Int>()
        Self.countObservation.publisher(in: database.writer, scheduling: .immediate).subscribe(
            recorder
        )
        #expect(recorder.values == ["0"])
        recorder.cancel()
    }

    @Test(arguments: Kind.allCases)
    func fetchingWaitsForDemand(kind: Kind) throws {
        let database = try TestDatabase(kind)
        let fetchCount = Lock(0)
        let recorder = Recorder<Int>(demand: .none)
        ValueObservation.tracking { db in
            fetchCount.withLock { $0 += 1 }
            return try db.count()
        }
        .publisher(in: database.writer, scheduling: .async(onQueue: queue))
        .subscribe(recorder)
        try database.insert(1)
        #expect(fetchCount.withLock { $0 } == 0)
        recorder.request(.max(1))
        try recorder.waitUntil { $0.values == ["1"] }
        recorder.cancel()
    }

    @Test(arguments: Kind.allCases)
    func valuesNeverExceedTheDemand(kind: Kind) throws {
        let database = try TestDatabase(kind)
        let fetchedValue = Lock<Int?>(nil)
        let deliveredValue = Lock<Int?>(nil)
        let recorder = Recorder<Int>(demand: .max(1))
        Self.countObservation.handleEvents(didReceiveValue: { value in
            fetchedValue.withLock { $0 = value }
        })
        .publisher(
            in: database.writer,
            scheduling: WatchedScheduler(queue: queue) {
                // This closure is called before a value is delivered.
                let value = fetchedValue.withLock { $0 }
                return { deliveredValue.withLock { $0 = value } }
            }
        )
        .subscribe(recorder)
        try recorder.waitUntil { $0.values == ["0"] }
        try database.insert(1)
        // The second value was fetched, but it was dropped because there was no demand.
        try recorder.waitUntil { _ in deliveredValue.withLock { $0 } == 1 }
        #expect(recorder.values == ["0"])
        recorder.request(.max(1))
        try database.insert(2)
        try recorder.waitUntil { $0.values == ["0", "2"] }
        recorder.cancel()
    }

    @Test(arguments: Kind.allCases)
    func aSubscriberCanRequestMoreForEachValue(kind: Kind) throws {
        let database = try TestDatabase(kind)
        let recorder = Recorder<Int>(demand: .max(1)) { _ in .max(1) }
        Self.countObservation.publisher(in: database.writer, scheduling: .async(onQueue: queue))
            .subscribe(recorder)
        for value in 1...3 { try database.insert(value) }
        try recorder.waitUntil { $0.values.last == "3" }
        recorder.cancel()
    }

    @Test(arguments: Kind.allCases)
    func anErrorEndsThePublisher(kind: Kind) throws {
        let database = try TestDatabase(kind)
        let recorder = Recorder<Int>()
        Self.countObservation.publisher(in: database.writer, scheduling: .async(onQueue: queue))
            .subscribe(recorder)
        try recorder.waitUntil { !$0.values.isEmpty }
        try database.writer.write { db in try db.execute(sql: "INSERT INTO t VALUES (1)") }
        try database.writer.write { db in
            try db.execute(sql: "DELETE FROM t; DROP TABLE t")
        }
        try recorder.waitUntil(\.hasEnded)
        #expect((recorder.error as? DatabaseError)?.message == "no such table: t")
    }

    @Test(arguments: Kind.allCases)
    func aCancelledSubscriptionEndsItsObservation(kind: Kind) throws {
        let database = try TestDatabase(kind)
        let recorder = Recorder<Int>()
        let isCancelled = Lock(false)
        Self.countObservation.handleEvents(didCancel: { isCancelled.withLock { $0 = true } })
            .publisher(in: database.writer, scheduling: .async(onQueue: queue))
            .subscribe(recorder)
        try recorder.waitUntil { !$0.values.isEmpty }
        recorder.cancel()
        #expect(isCancelled.withLock { $0 })
        try database.insert(1)
        queue.sync {}
        #expect(recorder.values == ["0"])
    }

    @Test(arguments: Kind.allCases)
    func manySubscribersShareOneObservation(kind: Kind) throws {
        let database = try TestDatabase(kind)
        let startCount = Lock(0)
        let shared = Self.countObservation.handleEvents(willStart: {
            startCount.withLock { $0 += 1 }
        })
        .shared(in: database.writer, scheduling: .async(onQueue: queue))
        let recorders = [Recorder<Int>(), Recorder<Int>()]
        for recorder in recorders { shared.publisher().subscribe(recorder) }
        for recorder in recorders { try recorder.waitUntil { $0.values == ["0"] } }
        try database.insert(1)
        for recorder in recorders { try recorder.waitUntil { $0.values == ["0", "1"] } }
        #expect(startCount.withLock { $0 } == 1)
        for recorder in recorders { recorder.cancel() }
    }

    @Test(arguments: Kind.allCases)
    func transactionsOfARegionArePublishedOnTheWriter(kind: Kind) throws {
        let database = try TestDatabase(kind)
        try database.writer.write { db in try db.execute(sql: "CREATE TABLE other (v)") }
        let counts = Lock<[Int]>([])
        let recorder = Recorder<Database> { db in
            counts.withLock { $0.append((try? db.count()) ?? -1) }
            return .none
        }
        DatabaseRegionObservation(tracking: SQLRequest<Row>(sql: "SELECT * FROM t"))
            .publisher(in: database.writer)
            .subscribe(recorder)
        try database.insert(1)
        try database.writer.write { db in try db.execute(sql: "INSERT INTO other VALUES (1)") }
        try database.writer.write { db in
            try db.insert(2)
            try db.insert(3)
        }
        #expect(counts.withLock { $0 } == [1, 3])
        recorder.cancel()
        try database.insert(4)
        #expect(counts.withLock { $0 } == [1, 3])
    }

    @Test(arguments: Kind.allCases)
    func aRegionCanBeObservedFromWithinAWrite(kind: Kind) throws {
        let database = try TestDatabase(kind)
        let recorder = Recorder<Database>()
        try database.writer.write { db in
            DatabaseRegionObservation(tracking: .fullDatabase)
                .publisher(in: database.writer)
                .subscribe(recorder)
            try db.insert(1)
        }
        #expect(recorder.values.count == 1)
        recorder.cancel()
    }

    @Test func anInvalidRegionIsAnError() throws {
        let database = try TestDatabase(.queue)
        let recorder = Recorder<Database>()
        DatabaseRegionObservation(tracking: SQLRequest<Row>(sql: "SELECT * FROM missing"))
            .publisher(in: database.writer)
            .subscribe(recorder)
        try recorder.waitUntil(\.hasEnded)
        #expect((recorder.error as? DatabaseError)?.message == "no such table: missing")
    }
}

/// A scheduler that notifies observers on a queue and calls back before and after each
/// notification.
private struct WatchedScheduler: ValueObservationScheduler {
    let queue: DispatchQueue
    /// A closure that is called before each notification.
    ///
    /// The closure that it returns is called after the notification.
    let willNotify: @Sendable () -> @Sendable () -> Void

    func immediateInitialValue() -> Bool { false }

    func schedule(_ action: @escaping @Sendable () -> Void) {
        let didNotify = willNotify()
        queue.async {
            action()
            didNotify()
        }
    }
}
