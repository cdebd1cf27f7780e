import Dispatch
import Telemetry
import Testing

@testable import SQLiteEngine

/// Tests a round of fetches that members join and leave.
@Suite(.timeLimit(.minutes(1)))
struct FetchRoundTests {
    private let folder = TemporaryFolder()

    /// A member whose observation ends when its database is requested.
    private final class EndingMember: ObservedMember {
        private let state: Lock<(database: DatabasePool?, requests: Int, fetches: Int)>
        let hasFetched = Gate()

        init(_ database: DatabasePool?) { state = Lock((database, 0, 0)) }

        var databaseRequests: Int { state.withLock { $0.requests } }

        var database: (any ObservedDatabase)? {
            state.withLock { state in
                defer { state.database = nil }
                state.requests += 1
                return state.database
            }
        }

        func fetch(_ db: Result<Database, any Error>, after commits: UInt64) { hasFetched.open() }
    }

    @Test func theDatabaseOfAnEndingMemberIsRequestedOnce() throws {
        let pool = try DatabasePool.withTable(in: folder)
        let ending = EndingMember(pool)
        FetchRound.start(for: [ending], hub: pool.observationHub)
        try ending.hasFetched.wait()
        #expect(ending.databaseRequests == 1)
    }

    @Test func observedCommitsAreNotFetchedAgain() throws {
        let writers: [any ObservedDatabase] = [
            try DatabaseQueue.withTable(), try DatabasePool.withTable(in: folder),
        ]
        for writer in writers {
            let values = CollectedLines()
            let value = ObservedValue(
                ValueObservation.tracking { db in try db.rowCount() ?? -1 },
                in: writer,
                scheduling: .async(onQueue: DispatchQueue(label: "notifications")),
                onError: { values.append("error: \($0)") },
                onChange: { values.append("\($0)") }
            )
            value.start()
            try eventually { values.all == ["0"] }
            // Commits are counted from this point.
            try eventually { writer.observationHub.state.withLock { $0.isInstalled } }
            try writer.writeWithoutTransaction { db in try db.insert(1) }
            try eventually { values.all == ["0", "1"] }
            // A member joins late, with a commit that was already reported.
            #expect(!value.beginFetch())
            value.cancel()
        }
    }

    @Test func aRoundOfEndedMembersFetchesNothing() throws {
        let pool = try DatabasePool.withTable(in: folder)
        let ended = EndingMember(nil)
        FetchRound.start(for: [ended], hub: pool.observationHub)
        #expect(ended.databaseRequests == 1)
        #expect(try pool.rowCount() == 0)
    }
}
