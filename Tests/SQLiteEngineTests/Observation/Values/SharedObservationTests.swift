import Dispatch
import Telemetry
import TestSupport
import Testing

@testable import SQLiteEngine

/// Tests shared observations, and observations that are used as sequences.
@Suite(.timeLimit(.minutes(1)))
struct SharedObservationTests {
    private let folder = TemporaryFolder()
    private let observation = ValueObservation.tracking { db in try db.rowCount() ?? -1 }

    @Test func manyObserversShareOneObservation() throws {
        let pool = try DatabasePool.withTable(in: folder)
        let fetches = CollectedLines()
        let shared =
            observation
            .handleEvents(willFetch: { fetches.append("fetch") })
            .shared(in: pool, scheduling: .async(onQueue: DispatchQueue(label: "notifications")))
        let received = (0..<3).map { _ in CollectedLines() }
        var cancellables: [AnyDatabaseCancellable] = []
        for lines in received {
            cancellables.append(
                shared.start(
                    onError: { lines.append("\($0)") },
                    onChange: { lines.append("\($0)") }
                )
            )
            try eventually { lines.all.last == "0" }
        }
        try eventually { pool.status().observations?.active == 1 }
        try pool.write { try $0.insert(1) }
        try eventually { received.allSatisfy { $0.all == ["0", "1"] } }
        #expect(fetches.all.count == 2)
        for cancellable in cancellables { cancellable.cancel() }
        #expect(pool.status().observations?.active == 0)
    }

    @Test func anObservationStartsAndEndsWithItsObservers() throws {
        let pool = try DatabasePool.withTable(in: folder)
        let events = CollectedLines()
        let shared =
            observation
            .handleEvents(
                willStart: { events.append("start") },
                didCancel: { events.append("cancel") }
            )
            .shared(in: pool, scheduling: .async(onQueue: DispatchQueue(label: "notifications")))
        for _ in 1...2 {
            let received = CollectedLines()
            let cancellable = shared.start(
                onError: { _ in },
                onChange: { received.append("\($0)") }
            )
            try eventually { received.all == ["0"] }
            cancellable.cancel()
        }
        #expect(events.all == ["start", "cancel", "start", "cancel"])
    }

    @Test func anObservationMayLastUntilItIsReleased() throws {
        let pool = try DatabasePool.withTable(in: folder)
        let events = CollectedLines()
        do {
            let shared =
                observation
                .handleEvents(
                    willStart: { events.append("start") },
                    didCancel: { events.append("cancel") }
                )
                .shared(
                    in: pool,
                    scheduling: .async(onQueue: DispatchQueue(label: "notifications")),
                    extent: .observationLifetime
                )
            for _ in 1...2 {
                let received = CollectedLines()
                let cancellable = shared.start(
                    onError: { _ in },
                    onChange: { received.append("\($0)") }
                )
                try eventually { received.all == ["0"] }
                cancellable.cancel()
            }
            #expect(events.all == ["start"])
        }
        try eventually { events.all == ["start", "cancel"] }
    }

    @Test func aSequenceOfValuesEndsWithItsLoop() async throws {
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
        let failingObservation = ValueObservation.tracking { db in
            try Int.fetchOne(db, sql: "SELECT * FROM nowhere")
        }
        await #expect(throws: DatabaseError.self) {
            for try await _ in failingObservation.values(in: pool) {}
        }
    }

    // MARK: Observers that start and end during notifications

    /// An observation and a scheduler that a test controls.
    private final class ManualObservation: ValueObservationScheduler {
        typealias Receiver = (
            onError: @Sendable (any Error) -> Void, onChange: @Sendable (Int) -> Void
        )

        private let receivers = Lock<[Receiver]>([])
        private let actions = Lock<[@Sendable () -> Void]>([])

        /// The started observations, oldest first.
        var startedObservations: [Receiver] { receivers.withLock { $0 } }

        func makeShared() -> SharedValueObservation<Int> {
            SharedValueObservation(scheduling: self, extent: .whileObserved) { onError, onChange in
                self.receivers.withLock { $0.append((onError, onChange)) }
                return AnyDatabaseCancellable {}
            }
        }

        func immediateInitialValue() -> Bool { false }

        func schedule(_ action: @escaping @Sendable () -> Void) {
            actions.withLock { $0.append(action) }
        }

        func runAll() {
            let all = actions.withLock { actions in
                defer { actions = [] }
                return actions
            }
            for action in all { action() }
        }
    }

    @Test func aLateObserverDoesNotReceiveOutdatedValues() {
        let manual = ManualObservation()
        let shared = manual.makeShared()
        let received = (0..<3).map { _ in CollectedLines() }
        func start(_ number: Int) -> AnyDatabaseCancellable {
            shared.start(
                onError: { received[number].append("\($0)") },
                onChange: { received[number].append("\($0)") }
            )
        }
        let first = start(0)
        manual.startedObservations[0].onChange(1)
        let second = start(1)
        // This value is scheduled before the second observer starts, and it is delivered before the
        // first value of that observer.
        manual.startedObservations[0].onChange(2)
        manual.runAll()
        #expect(received[0].all == ["1", "2"])
        #expect(received[1].all == ["2"])
        let third = start(2)
        manual.runAll()
        #expect(received[2].all == ["2"])
        #expect(manual.startedObservations.count == 1)
        for cancellable in [first, second, third] { cancellable.cancel() }
    }

    @Test func lateValuesOfAnEarlierObservationAreDropped() throws {
        let manual = ManualObservation()
        let shared = manual.makeShared()
        shared.start(onError: { _ in }, onChange: { _ in }).cancel()
        let received = CollectedLines()
        let cancellable = shared.start(
            onError: { received.append("\($0)") },
            onChange: { received.append("\($0)") }
        )
        try #require(manual.startedObservations.count == 2)
        manual.startedObservations[0].onChange(1)
        manual.startedObservations[0].onError(CancellationError())
        manual.startedObservations[1].onChange(2)
        #expect(received.all == ["2"])
        cancellable.cancel()
    }

    @Test func anObserverCancelledByAnotherIsNotNotified() {
        let manual = ManualObservation()
        let shared = manual.makeShared()
        let received = CollectedLines()
        let other = Lock<AnyDatabaseCancellable?>(nil)
        let first = shared.start(
            onError: { _ in },
            onChange: { value in
                received.append("\(value)")
                other.withLock { $0 }?.cancel()
            }
        )
        let second = shared.start(onError: { _ in }, onChange: { received.append("other: \($0)") })
        other.withLock { $0 = second }
        manual.startedObservations[0].onChange(1)
        #expect(received.all == ["1"])
        first.cancel()
        #expect(manual.startedObservations.count == 1)
    }
}
