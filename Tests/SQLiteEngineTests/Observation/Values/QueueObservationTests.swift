import Dispatch
import Telemetry
import TestSupport
import Testing

@testable import SQLiteEngine

/// Tests the fetches of observations on a queue during and after a commit.
@Suite(.timeLimit(.minutes(1)))
struct QueueObservationTests {
    private let notifications = DispatchQueue(label: "notifications")

    private func observe(
        _ queue: DatabaseQueue,
        _ values: CollectedLines,
        _ fetch: @escaping @Sendable (Database) throws -> Int = { try $0.rowCount() ?? -1 }
    ) -> AnyDatabaseCancellable {
        ValueObservation.tracking(fetch).start(
            in: queue,
            scheduling: .async(onQueue: notifications),
            onError: { values.append("error: \($0)") },
            onChange: { values.append("\($0)") }
        )
    }

    @Test func everyCommitOfOneAccessIsReported() throws {
        let queue = try DatabaseQueue.withTable()
        queue.observationHub.cheapFetch.store(.max, ordering: .relaxed)
        let values = CollectedLines()
        let cancellable = observe(queue, values)
        try queue.writeWithoutTransaction { db in
            for value in 1...50 { try db.insert(value) }
            try db.inTransaction {
                try db.insert(51)
                try db.insert(52)
                return .commit
            }
        }
        try eventually { values.all.last == "52" }
        #expect(values.all == (Array(0...50) + [52]).map(String.init))
        cancellable.cancel()
    }

    @Test @MainActor func aFirstValueMayTriggerAWrite() throws {
        let queue = try DatabaseQueue.withTable()
        queue.observationHub.cheapFetch.store(.max, ordering: .relaxed)
        let fetches = Lock(0)
        let cancellable = ValueObservation.tracking { db in
            fetches.withLock { $0 += 1 }
            return try db.rowCount() ?? -1
        }
        .start(
            in: queue,
            scheduling: .immediate,
            onError: { Issue.record($0) },
            onChange: { value in
                guard value == 0 else { return }
                do {
                    try queue.writeWithoutTransaction { db in
                        for value in 1...3 { try db.insert(value) }
                    }
                } catch {
                    Issue.record(error)
                }
            }
        )
        #expect(fetches.withLock { $0 } == 4)
        cancellable.cancel()
    }

    @Test func manyObservationsDoNotDelayACommit() throws {
        let queue = try DatabaseQueue.withTable()
        let collections = (0..<20).map { _ in CollectedLines() }
        let cancellables = collections.map { observe(queue, $0) }
        for values in collections { try eventually { values.all == ["0"] } }
        let fetchCountBefore = try #require(queue.status().observations).fetchesOnWriter
        try queue.writeWithoutTransaction { db in
            for value in 1...10 { try db.insert(value) }
            // No fetch ran within a commit.
            let status = queue.status().observations
            #expect(status?.fetchesOnWriter == fetchCountBefore)
        }
        for values in collections { try eventually { values.all.last == "10" } }
        for cancellable in cancellables { cancellable.cancel() }
    }

    @Test func expensiveFetchesRunAfterTheAccess() throws {
        let queue = try DatabaseQueue.withTable()
        let values = CollectedLines()
        let isExpensive = Lock(false)
        let cancellable = observe(queue, values) { db in
            if isExpensive.withLock({ $0 }) {
                let end = threadNanoseconds() + 3_000_000
                while threadNanoseconds() < end {}
            }
            return try db.rowCount() ?? -1
        }
        try eventually { values.all == ["0"] }
        isExpensive.withLock { $0 = true }
        try queue.writeWithoutTransaction { db in for value in 1...10 { try db.insert(value) } }
        try eventually { values.all.last == "10" }
        // The first fetch runs within its commit. The other fetches are combined after the access.
        #expect(values.all == ["0", "1", "10"])
        cancellable.cancel()
    }

    @Test func commitsBeforeAFetchCauseNoAdditionalFetch() throws {
        let queue = try DatabaseQueue.withTable()
        let hub = queue.observationHub
        // The first fetch runs within its commit and is then classified as expensive.
        hub.cheapFetch.store(0, ordering: .relaxed)
        let values = CollectedLines()
        let cancellable = observe(queue, values)
        try queue.writeWithoutTransaction { db in
            // The fetch for the second commit waits for this access to end. The other commits share
            // this fetch.
            for value in 1...5 { try db.insert(value) }
        }
        try eventually { queue.status().observations?.coalesced == 3 }
        try eventually { values.all.last == "5" }
        #expect(values.all == ["0", "1", "5"])
        #expect(queue.status().observations?.fetchesOnWriter == 3)
        cancellable.cancel()
    }

    @Test func aCursorContinuesWhileItsAccessWritesObservedRows() throws {
        let queue = try DatabaseQueue.withTable()
        queue.observationHub.cheapFetch.store(.max, ordering: .relaxed)
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE u (a)")
            for value in 1...5 { try db.insert(value) }
        }
        let values = CollectedLines()
        let cancellable = observe(queue, values) { db in
            try Int.fetchOne(db, sql: "SELECT count(*) FROM u") ?? -1
        }
        try eventually { values.all == ["0"] }
        let rows = try queue.inDatabase { db in
            var rows: [Int] = []
            let cursor = try Int.fetchCursor(db, sql: "SELECT v FROM t ORDER BY v")
            // If the cursor restarted after each write, it would never end.
            while rows.count < 10, let row = try cursor.next() {
                rows.append(row)
                try db.execute(sql: "INSERT INTO u VALUES (?)", arguments: [row])
            }
            return rows
        }
        #expect(rows == [1, 2, 3, 4, 5])
        try eventually { values.all.last == "5" }
        cancellable.cancel()
    }

    @Test func notifiedChangesOfSeveralTablesReachAllTheirObservers() throws {
        let queue = try DatabaseQueue.withTable()
        try queue.write { db in try db.execute(sql: "CREATE TABLE u (a)") }
        let (valuesOfTable, valuesOfOtherTable) = (CollectedLines(), CollectedLines())
        let cancellables = [
            observe(queue, valuesOfTable),
            observe(queue, valuesOfOtherTable) { db in
                try Int.fetchOne(db, sql: "SELECT count(*) FROM u") ?? -1
            },
        ]
        try queue.write { db in try db.notifyChanges(in: .fullDatabase) }
        try eventually { valuesOfTable.all == ["0", "0"] && valuesOfOtherTable.all == ["0", "0"] }
        for cancellable in cancellables { cancellable.cancel() }
    }

    @Test func aTransactionInACallbackOfAnObserverHidesNoCommit() throws {
        let queue = try DatabaseQueue.withTable()
        let observer = RecordingObserver()
        observer.reaction = { line, db in
            guard line == "didCommit", let db, (try? db.rowCount()) == 1 else { return }
            #expect(throws: Never.self) {
                try db.inTransaction {
                    try db.insert(2)
                    return .rollback
                }
            }
        }
        // This observer was added before the observation, so it is notified first.
        queue.add(transactionObserver: observer)
        let values = CollectedLines()
        let cancellable = observe(queue, values)
        try eventually { values.all == ["0"] }
        try queue.write { db in try db.insert(1) }
        try eventually { values.all == ["0", "1"] }
        #expect(
            observer.takeLog() == [
                "insert t 1", "willCommit", "didCommit", "insert t 2", "didRollback",
            ]
        )
        cancellable.cancel()
    }

    @Test func aRollbackInACallbackOfAnObserverIsNotPartOfThePreviousCommit() throws {
        let queue = try DatabaseQueue.withTable()
        try queue.write { db in try db.execute(sql: "CREATE TABLE u (a)") }
        let observer = RecordingObserver { $0.tableName == "u" }
        observer.reaction = { line, db in
            guard line == "didCommit", let db else { return }
            #expect(throws: Never.self) {
                try db.inTransaction {
                    try db.insert(9)
                    return .rollback
                }
            }
        }
        queue.add(transactionObserver: observer)
        let changes = CollectedLines()
        let cancellable = DatabaseRegionObservation(tracking: DatabaseRegion(table: "t")).start(
            in: queue,
            onError: { changes.append("\($0)") },
            onChange: { _ in changes.append("change") }
        )
        try queue.write { db in try db.execute(sql: "INSERT INTO u VALUES (1)") }
        #expect(observer.log.last == "didRollback")
        #expect(changes.all == [])
        try queue.write { db in try db.insert(1) }
        #expect(changes.all == ["change"])
        cancellable.cancel()
    }

    @Test func callbacksOfOneTransactionMayWriteWithTheSameStatement() throws {
        let queue = try DatabaseQueue.withTable()
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE u (a)")
            for value in 1...2 {
                db.afterNextTransaction { db in
                    let isOutside = !db.isInsideTransaction
                    #expect(isOutside)
                    #expect(throws: Never.self) {
                        try db.cachedStatement(sql: "INSERT INTO u VALUES (?)")
                            .execute(arguments: [value])
                        try db.inTransaction {
                            try db.cachedStatement(sql: "INSERT INTO u VALUES (?)")
                                .execute(arguments: [10 * value])
                            return .commit
                        }
                    }
                }
            }
        }
        let rows = try queue.read { db in
            try Int.fetchAll(db, sql: "SELECT a FROM u ORDER BY a")
        }
        #expect(rows == [1, 2, 10, 20])
    }

    @Test func anErrorWithinACommitEndsTheObservationButNotTheWrite() throws {
        let queue = try DatabaseQueue.withTable()
        queue.observationHub.cheapFetch.store(.max, ordering: .relaxed)
        let values = CollectedLines()
        let cancellable = observe(queue, values) { db in
            let count = try db.rowCount() ?? -1
            if count == 2 { throw DatabaseError(message: "two") }
            return count
        }
        try eventually { values.all == ["0"] }
        try queue.writeWithoutTransaction { db in for value in 1...3 { try db.insert(value) } }
        try eventually { values.all.count == 3 }
        #expect(values.all == ["0", "1", "error: SQLite error 1: two"])
        #expect(try queue.rowCount() == 3)
        cancellable.cancel()
    }

    @Test func aRecordFetchedByKeyDependsOnlyOnItsRow() throws {
        struct Item: Codable, FetchableRecord, PersistableRecord {
            var id: Int64
            var name: String
        }
        let queue = try DatabaseQueue()
        try queue.write { db in
            try db.create(table: "item") { t in
                t.primaryKey("id", .integer)
                t.column("name", .text)
            }
            for id in 1...3 { try Item(id: Int64(id), name: "\(id)").insert(db) }
        }
        let values = CollectedLines()
        let cancellable = ValueObservation.tracking { db in
            try Item.fetchOne(db, key: 2)?.name ?? "none"
        }
        .start(
            in: queue,
            scheduling: .async(onQueue: notifications),
            onError: { values.append("error: \($0)") },
            onChange: { values.append($0) }
        )
        try queue.write { db in try Item(id: 1, name: "other").update(db) }
        try queue.write { db in try Item(id: 2, name: "mine").update(db) }
        try queue.write { db in try Item(id: 3, name: "other").update(db) }
        try queue.write { db in _ = try Item(id: 2, name: "").delete(db) }
        try eventually { values.all.last == "none" }
        #expect(values.all == ["2", "mine", "none"])
        cancellable.cancel()
    }
}
