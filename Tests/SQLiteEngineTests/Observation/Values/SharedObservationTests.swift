import Dispatch
import Telemetry
import Testing

@testable import SQLiteEngine

/// Observations that many share, and those that are sequences.
@Suite(.timeLimit(.minutes(1)))
struct SharedObservationTests {
    private let folder = TemporaryFolder()
    private let observation = ValueObservation.tracking { db in try db.rowCount() ?? -1 }

    @Test func manyGetTheValuesOfOneObservation() throws {
        let pool = try DatabasePool.withTable(in: folder)
        let fetches = Collected()
        let shared =
            observation
            .handleEvents(willFetch: { fetches.append("fetch") })
            .shared(in: pool, scheduling: .async(onQueue: DispatchQueue(label: "told")))
        let told = (0..<3).map { _ in Collected() }
        var cancellables: [AnyDatabaseCancellable] = []
        for one in told {
            cancellables.append(
                shared.start(onError: { one.append("\($0)") }, onChange: { one.append("\($0)") })
            )
            try eventually { one.all.last == "0" }
        }
        try eventually { pool.status().observations?.active == 1 }
        try pool.write { try $0.insert(1) }
        try eventually { told.allSatisfy { $0.all == ["0", "1"] } }
        #expect(fetches.all.count == 2)
        for cancellable in cancellables { cancellable.cancel() }
        #expect(pool.status().observations?.active == 0)
    }

    @Test func itEndsAndBeginsWithThoseWhoObserve() throws {
        let pool = try DatabasePool.withTable(in: folder)
        let events = Collected()
        let shared =
            observation
            .handleEvents(
                willStart: { events.append("start") },
                didCancel: { events.append("cancel") }
            )
            .shared(in: pool, scheduling: .async(onQueue: DispatchQueue(label: "told")))
        for _ in 1...2 {
            let told = Collected()
            let cancellable = shared.start(onError: { _ in }, onChange: { told.append("\($0)") })
            try eventually { told.all == ["0"] }
            cancellable.cancel()
        }
        #expect(events.all == ["start", "cancel", "start", "cancel"])
    }

    @Test func itMayLastAsLongAsItself() throws {
        let pool = try DatabasePool.withTable(in: folder)
        let events = Collected()
        do {
            let shared =
                observation
                .handleEvents(
                    willStart: { events.append("start") },
                    didCancel: { events.append("cancel") }
                )
                .shared(
                    in: pool,
                    scheduling: .async(onQueue: DispatchQueue(label: "told")),
                    extent: .observationLifetime
                )
            for _ in 1...2 {
                let told = Collected()
                let cancellable = shared.start(
                    onError: { _ in },
                    onChange: { told.append("\($0)") }
                )
                try eventually { told.all == ["0"] }
                cancellable.cancel()
            }
            #expect(events.all == ["start"])
        }
        try eventually { events.all == ["start", "cancel"] }
    }

    @Test func valuesAreASequenceThatEndsWithItsLoop() async throws {
        let pool = try DatabasePool.withTable(in: folder)
        var expected = 0
        for try await value in observation.removeDuplicates().values(in: pool) {
            #expect(value == expected)
            expected += 1
            if expected == 10 { break }
            try await pool.write { [expected] in try $0.insert(expected) }
        }
        #expect(expected == 10)
        try await eventuallyAsync { pool.status().observations?.active == 0 }
    }

    @Test func aSequenceThrowsTheErrorOfItsObservation() async throws {
        let pool = try DatabasePool.withTable(in: folder)
        let failing = ValueObservation.tracking { db in
            try Int.fetchOne(db, sql: "SELECT * FROM nowhere")
        }
        await #expect(throws: DatabaseError.self) {
            for try await _ in failing.values(in: pool) {}
        }
    }
}
