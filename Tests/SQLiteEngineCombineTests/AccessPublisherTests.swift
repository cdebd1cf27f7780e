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

/// Tests publishers of a single read or write.
@Suite(.timeLimit(.minutes(1)))
struct AccessPublisherTests {
    private let queue = DispatchQueue(label: "notifications")

    @Test(arguments: Kind.allCases)
    func aReadIsPublishedOnTheSchedulerAndFinishes(kind: Kind) throws {
        let database = try TestDatabase(kind)
        try database.insert(1)
        let key = DispatchSpecificKey<Bool>()
        queue.setSpecific(key: key, value: true)
        let isOnQueue = Lock(false)
        let recorder = Recorder<Int> { _ in
            isOnQueue.withLock { $0 = DispatchQueue.getSpecific(key: key) == true }
            return .none
        }
        database.writer.readPublisher(receiveOn: queue.scheduler) { db in try db.count() }
            .subscribe(recorder)
        try recorder.waitUntil(\.hasEnded)
        #expect(recorder.values == ["1"])
        #expect(recorder.isFinished)
        #expect(isOnQueue.withLock { $0 })
    }

    @Test(arguments: Kind.allCases)
    func aReadWaitsForDemandAndRepeatsForEachSubscriber(kind: Kind) throws {
        let database = try TestDatabase(kind)
        let readCount = Lock(0)
        let publisher = database.writer.readPublisher(receiveOn: queue.scheduler) { db in
            readCount.withLock { $0 += 1 }
            return try db.count()
        }
        let firstRecorder = Recorder<Int>(demand: .none)
        publisher.subscribe(firstRecorder)
        try database.insert(1)
        #expect(readCount.withLock { $0 } == 0)
        firstRecorder.request(.max(1))
        try firstRecorder.waitUntil(\.hasEnded)
        // Demand after the completion has no effect.
        firstRecorder.request(.unlimited)
        try database.insert(2)
        let secondRecorder = Recorder<Int>()
        publisher.subscribe(secondRecorder)
        try secondRecorder.waitUntil(\.hasEnded)
        #expect(firstRecorder.values == ["1"] && secondRecorder.values == ["2"])
        #expect(readCount.withLock { $0 } == 2)
    }

    @Test(arguments: Kind.allCases)
    func aReadMustNotWriteAndPublishesItsError(kind: Kind) throws {
        let database = try TestDatabase(kind)
        let recorder = Recorder<Void>()
        database.writer.readPublisher(receiveOn: queue.scheduler) { db in try db.insert(1) }
            .subscribe(recorder)
        try recorder.waitUntil(\.hasEnded)
        #expect((recorder.error as? DatabaseError)?.resultCode == .SQLITE_READONLY)
        #expect(recorder.values.isEmpty)
    }

    @Test(arguments: Kind.allCases)
    func aCancelledSubscriberReceivesNothing(kind: Kind) throws {
        let database = try TestDatabase(kind)
        let (isReading, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let recorder = Recorder<Int>()
        database.writer.readPublisher(receiveOn: queue.scheduler) { db in
            isReading.signal()
            mayEnd.wait()
            return try db.count()
        }
        .subscribe(recorder)
        isReading.wait()
        recorder.cancel()
        mayEnd.signal()
        // Another read is published on the same queue. The canceled read would be delivered before
        // the other read.
        let laterRecorder = Recorder<Int>()
        try database.writer.barrierWriteWithoutTransaction { _ in }
        database.writer.readPublisher(receiveOn: queue.scheduler) { db in try db.count() }
            .subscribe(laterRecorder)
        try laterRecorder.waitUntil(\.hasEnded)
        #expect(recorder.values.isEmpty && !recorder.hasEnded)
    }

    @Test(arguments: Kind.allCases)
    func cancelingWhenAValueArrivesPreventsTheCompletion(kind: Kind) throws {
        let database = try TestDatabase(kind)
        let subscriber = Lock<Recorder<Int>?>(nil)
        let recorder = Recorder<Int> { _ in
            subscriber.withLock { $0 }?.cancel()
            return .none
        }
        subscriber.withLock { $0 = recorder }
        database.writer.readPublisher(receiveOn: queue.scheduler) { db in try db.count() }
            .subscribe(recorder)
        try recorder.waitUntil { !$0.values.isEmpty }
        queue.sync {}
        #expect(!recorder.hasEnded)
        subscriber.withLock { $0 = nil }
    }

    @Test(arguments: Kind.allCases)
    func aWriteIsCommittedBeforeItsValueIsPublished(kind: Kind) throws {
        let database = try TestDatabase(kind)
        let counts = Lock<[Int]>([])
        let recorder = Recorder<String> { _ in
            counts.withLock { $0.append((try? database.count()) ?? -1) }
            return .none
        }
        database.writer.writePublisher(receiveOn: queue.scheduler) { db in
            try db.insert(7)
            return "done"
        }
        .subscribe(recorder)
        try recorder.waitUntil(\.hasEnded)
        #expect(recorder.values == ["done"] && recorder.isFinished)
        #expect(counts.withLock { $0 } == [1])
    }

    @Test(arguments: Kind.allCases)
    func aFailedWriteIsRolledBack(kind: Kind) throws {
        let database = try TestDatabase(kind)
        let recorder = Recorder<Void>()
        database.writer.writePublisher(receiveOn: queue.scheduler) { db in
            try db.insert(1)
            try db.execute(sql: "nonsense")
        }
        .subscribe(recorder)
        try recorder.waitUntil(\.hasEnded)
        #expect((recorder.error as? DatabaseError)?.sql == "nonsense")
        #expect(try database.count() == 0)
    }

    @Test func aPoolReadsTheStateOfAWriteDuringTheNextWrite() throws {
        let database = try TestDatabase(.pool)
        let (isReading, mayRead) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let recorder = Recorder<String>()
        database.writer.writePublisher(
            receiveOn: queue.scheduler,
            updates: { db in
                try db.insert(1)
                return "after one"
            },
            thenRead: { db, title in
                isReading.signal()
                mayRead.wait()
                return "\(title): \(try db.count())"
            }
        )
        .subscribe(recorder)
        isReading.wait()
        try database.insert(2)
        mayRead.signal()
        try recorder.waitUntil(\.hasEnded)
        #expect(recorder.values == ["after one: 1"])
    }

    @Test(arguments: Kind.allCases)
    func theReadAfterAWriteMustNotWrite(kind: Kind) throws {
        let database = try TestDatabase(kind)
        let recorder = Recorder<Void>()
        database.writer.writePublisher(
            receiveOn: queue.scheduler,
            updates: { db in try db.insert(1) },
            thenRead: { db, _ in try db.insert(2) }
        )
        .subscribe(recorder)
        try recorder.waitUntil(\.hasEnded)
        #expect((recorder.error as? DatabaseError)?.resultCode == .SQLITE_READONLY)
        #expect(try database.count() == 1)
    }

    @Test(arguments: Kind.allCases)
    func aFailedWriteIsNotFollowedByARead(kind: Kind) throws {
        let database = try TestDatabase(kind)
        let hasRead = Lock(false)
        let recorder = Recorder<Void>()
        database.writer.writePublisher(
            receiveOn: queue.scheduler,
            updates: { db in
                try db.insert(1)
                try db.insert(1)
            },
            thenRead: { _, _ in hasRead.withLock { $0 = true } }
        )
        .subscribe(recorder)
        try recorder.waitUntil(\.hasEnded)
        #expect((recorder.error as? DatabaseError)?.resultCode == .SQLITE_CONSTRAINT)
        #expect(try database.count() == 0)
        #expect(!hasRead.withLock { $0 })
    }

    @Test(arguments: Kind.allCases)
    func publishersOfAClosedDatabaseFail(kind: Kind) throws {
        let database = try TestDatabase(kind)
        try database.writer.close()
        let (readRecorder, writeRecorder) = (Recorder<Int>(), Recorder<Void>())
        database.writer.readPublisher(receiveOn: queue.scheduler) { db in try db.count() }
            .subscribe(readRecorder)
        database.writer.writePublisher(receiveOn: queue.scheduler) { db in try db.insert(1) }
            .subscribe(writeRecorder)
        try readRecorder.waitUntil(\.hasEnded)
        try writeRecorder.waitUntil(\.hasEnded)
        #expect((readRecorder.error as? DatabaseError)?.resultCode == .SQLITE_MISUSE)
        #expect((writeRecorder.error as? DatabaseError)?.resultCode == .SQLITE_MISUSE)
    }

    @Test(arguments: Kind.allCases)
    func migrationsArePublishedAfterTheyAreCommitted(kind: Kind) throws {
        let database = try TestDatabase(kind)
        var migrator = DatabaseMigrator()
        migrator.registerMigration("a") { db in try db.insert(1) }
        let publisher = migrator.migratePublisher(database.writer, receiveOn: queue.scheduler)
        #expect(try database.writer.read { db in try db.count() } == 0)
        for _ in 1...2 {
            let recorder = Recorder<Void>()
            publisher.subscribe(recorder)
            try recorder.waitUntil(\.hasEnded)
            #expect(recorder.values.count == 1 && recorder.isFinished)
            #expect(try database.writer.read { db in try db.count() } == 1)
        }
        migrator.registerMigration("b") { db in try db.insert(1) }
        let recorder = Recorder<Void>()
        migrator.migratePublisher(database.writer, receiveOn: queue.scheduler).subscribe(recorder)
        try recorder.waitUntil(\.hasEnded)
        let code = (recorder.error as? DatabaseError)?.extendedResultCode
        #expect(code == .SQLITE_CONSTRAINT_UNIQUE && recorder.values.isEmpty)
    }

    @Test(arguments: Kind.allCases)
    func resultsArePublishedOnTheMainQueueByDefault(kind: Kind) throws {
        let database = try TestDatabase(kind)
        let recorder = Recorder<Int> { _ in
            dispatchPrecondition(condition: .onQueue(.main))
            return .none
        }
        database.writer.readPublisher { db in try db.count() }.subscribe(recorder)
        try recorder.waitUntil(\.hasEnded)
        #expect(recorder.values == ["0"])
    }
}
