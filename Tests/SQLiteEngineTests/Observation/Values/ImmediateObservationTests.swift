import Dispatch
import Telemetry
import TestSupport
import Testing

@testable import SQLiteEngine

/// Immediate observations that start inside an access of the same database.
@Suite(.timeLimit(.minutes(1)))
struct ImmediateObservationTests {
    /// A scheduler that lets a test start an immediate observation on any thread.
    private struct Immediate: ValueObservationScheduler {
        func immediateInitialValue() -> Bool { true }

        func schedule(_ action: @escaping @Sendable () -> Void) {
            DispatchQueue.global().async(execute: action)
        }
    }

    enum Place: CaseIterable {
        case write, writeWithoutTransaction, read, unsafeRead, commit
    }

    private let folder = TemporaryFolder()

    private func start(
        in database: any DatabaseWriter,
        _ values: CollectedLines,
        requiresWriteAccess: Bool = false
    ) -> AnyDatabaseCancellable {
        var observation = ValueObservation.tracking { try $0.rowCount() ?? -1 }
        observation.requiresWriteAccess = requiresWriteAccess
        return observation.start(
            in: database,
            scheduling: Immediate(),
            onError: { values.append("error: \($0)") },
            onChange: { values.append("\($0)") }
        )
    }

    private func start(at place: Place, in database: any DatabaseWriter) throws -> CollectedLines {
        let values = CollectedLines()
        var cancellable: AnyDatabaseCancellable?
        switch place {
        case .write:
            try database.write { db in
                try db.insert(1)
                cancellable = start(in: database, values)
                if !(database is DatabasePool) { #expect(values.all == ["1"]) }
            }
        case .writeWithoutTransaction:
            try database.writeWithoutTransaction { db in
                try db.insert(1)
                cancellable = start(in: database, values)
            }
        case .read, .unsafeRead:
            try database.write { try $0.insert(1) }
            if place == .read {
                try database.read { _ in cancellable = start(in: database, values) }
            } else {
                try database.unsafeRead { _ in cancellable = start(in: database, values) }
            }
        case .commit:
            let started = UncheckedBox<AnyDatabaseCancellable>(nil)
            let selfBox = UncheckedBox(self)
            try database.write { db in
                db.afterNextTransaction { _ in
                    started.value = selfBox.value?.start(in: database, values)
                }
                try db.insert(1)
            }
            cancellable = started.value
        }
        try eventually { values.all.last == "1" }
        // The observation includes each later commit.
        try database.write { try $0.insert(2) }
        try eventually { values.all.last == "2" }
        cancellable?.cancel()
        return values
    }

    @Test(arguments: Place.allCases)
    func aQueueDelivers(at place: Place) throws {
        let values = try start(at: place, in: DatabaseQueue.withTable())
        #expect(values.all == ["1", "2"])
    }

    @Test(arguments: Place.allCases)
    func aPoolDelivers(at place: Place) throws {
        let pool = try DatabasePool(path: folder.file())
        try pool.write { try $0.execute(sql: "CREATE TABLE t (x)") }
        let values = try start(at: place, in: pool)
        #expect(values.all.suffix(2) == ["1", "2"])
    }

    /// The first value includes changes that are then rolled back, so the observation corrects it.
    @Test func aRollbackIsReported() throws {
        let queue = try DatabaseQueue.withTable()
        let values = CollectedLines()
        var cancellable: AnyDatabaseCancellable?
        #expect(throws: ThrownError.self) {
            try queue.write { db in
                try db.insert(1)
                cancellable = start(in: queue, values)
                throw ThrownError()
            }
        }
        #expect(values.all.first == "1")
        try eventually { values.all.last == "0" }
        cancellable?.cancel()
    }

    @Test func anObservationThatWritesStartsInsideAWrite() throws {
        let queue = try DatabaseQueue.withTable()
        let values = CollectedLines()
        var cancellable: AnyDatabaseCancellable?
        try queue.write { db in
            try db.insert(1)
            cancellable = start(in: queue, values, requiresWriteAccess: true)
        }
        #expect(values.all == ["1"])
        cancellable?.cancel()
    }

    /// The fetch must not reset the cursor over which the access iterates.
    @Test(arguments: [false, true])
    func aCursorContinues(requiresWriteAccess: Bool) throws {
        let queue = try DatabaseQueue.withTable()
        let values = CollectedLines()
        var cancellables: [AnyDatabaseCancellable] = []
        try queue.writeWithoutTransaction { db in
            for value in 1...3 { try db.insert(value) }
            var rows: [Int] = []
            let cursor = try Int.fetchCursor(db, sql: "SELECT v FROM t WHERE v <= 3 ORDER BY v")
            while let row = try cursor.next(), rows.count < 10 {
                rows.append(row)
                cancellables.append(
                    start(in: queue, values, requiresWriteAccess: requiresWriteAccess)
                )
                try db.insert(row + 10)
            }
            #expect(rows == [1, 2, 3])
        }
        #expect(values.all.prefix(1) == ["3"])
        for cancellable in cancellables { cancellable.cancel() }
    }

    /// Another thread may fetch the next value before the first one is delivered.
    @Test(arguments: [false, true])
    func aLaterValueIsDeliveredAfterTheFirstOne(isPool: Bool) throws {
        let path = folder.file("order.sqlite")
        let database: any DatabaseWriter =
            try isPool ? DatabasePool(path: path) : DatabaseQueue(path: path)
        try database.write { try $0.execute(sql: "CREATE TABLE t (v)") }
        let values = CollectedLines()
        let fetches = CollectedLines()
        let observation = ValueObservation.tracking { db in
            defer { fetches.append("fetch") }
            return try db.rowCount() ?? -1
        }
        let cancellable = observation.start(
            in: database,
            scheduling: Immediate(),
            onError: { values.append("error: \($0)") },
            onChange: { value in
                if value == 0 {
                    do {
                        try database.write { try $0.insert(1) }
                        try eventually { fetches.all.count == 2 }
                        // The second value would arrive now if it did not wait for the first one.
                        _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(50))
                    } catch {
                        values.append("error: \(error)")
                    }
                }
                values.append("\(value)")
            }
        )
        try eventually { values.all.count == 2 }
        #expect(values.all == ["0", "1"])
        cancellable.cancel()
    }

    /// A cursor keeps an earlier state, so the first value is followed by the current one.
    @Test func aValueOfAnEarlierStateIsFetchedAgain() throws {
        let pool = try DatabasePool(path: folder.file("state.sqlite"))
        try pool.write { try $0.execute(sql: "CREATE TABLE t (x); INSERT INTO t VALUES (1), (2)") }
        let values = CollectedLines()
        var cancellable: AnyDatabaseCancellable?
        try pool.unsafeRead { db in
            let cursor = try Row.fetchCursor(db, sql: "SELECT * FROM t")
            _ = try cursor.next()
            try pool.write { try $0.insert(3) }
            cancellable = start(in: pool, values)
            #expect(values.all == ["2"])
        }
        try eventually { values.all.last == "3" }
        cancellable?.cancel()
    }
}
