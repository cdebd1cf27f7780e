import Dispatch
import Telemetry
import Testing

@testable import SQLiteEngine

/// A round of fetches whose members join and leave.
@Suite(.timeLimit(.minutes(1)))
struct FetchRoundTests {
    private let folder = TemporaryFolder()

    /// A member whose observation ends as soon as its database was requested.
    private final class EndingMember: ObservedMember {
        private let state: Lock<(database: DatabasePool?, isAsked: Int, isFetched: Int)>
        let isFetched = Gate()

        init(_ database: DatabasePool?) { state = Lock((database, 0, 0)) }

        var timesAsked: Int { state.withLock { $0.isAsked } }

        var database: (any ObservedDatabase)? {
            state.withLock { state in
                defer { state.database = nil }
                state.isAsked += 1
                return state.database
            }
        }

        func fetch(_ db: Result<Database, any Error>, after commits: UInt64) { isFetched.open() }
    }

    @Test func theDatabaseOfAnEndingMemberIsRequestedOnce() throws {
        let pool = try DatabasePool.withTable(in: folder)
        let ending = EndingMember(pool)
        FetchRound.start(for: [ending], hub: pool.observationHub)
        try ending.isFetched.wait()
        #expect(ending.timesAsked == 1)
    }

    @Test func observedCommitsAreNotFetchedAgain() throws {
        let writers: [any ObservedDatabase] = [
            try DatabaseQueue.withTable(), try DatabasePool.withTable(in: folder),
        ]
        for writer in writers {
            let values = Collected()
            let value = ObservedValue(
                ValueObservation.tracking { db in try db.rowCount() ?? -1 },
                in: writer,
                scheduling: .async(onQueue: DispatchQueue(label: "told")),
                onError: { values.append("error: \($0)") },
                onChange: { values.append("\($0)") }
            )
            value.start()
            try eventually { values.all == ["0"] }
            // From here on, commits are counted.
            try eventually { writer.observationHub.state.withLock { $0.isInstalled } }
            try writer.writeWithoutTransaction { db in try db.insert(1) }
            try eventually { values.all == ["0", "1"] }
            // A member joins late with a commit that was already reported.
            #expect(!value.beginFetch())
            value.cancel()
        }
    }

    @Test func aRoundOfEndedMembersFetchesNothing() throws {
        let pool = try DatabasePool.withTable(in: folder)
        let over = EndingMember(nil)
        FetchRound.start(for: [over], hub: pool.observationHub)
        #expect(over.timesAsked == 1)
        #expect(try pool.rowCount() == 0)
    }
}
