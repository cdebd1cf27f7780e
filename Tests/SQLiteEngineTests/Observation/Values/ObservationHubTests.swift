import Telemetry
import Testing

@testable import SQLiteEngine

/// Who follows the commits of a database, and from when on.
struct ObservationHubTests {
    /// A member that has another one join while it is told that it has joined itself.
    private final class Joining: ObservedMember {
        let didJoin: @Sendable () -> Void

        init(_ didJoin: @escaping @Sendable () -> Void) { self.didJoin = didJoin }

        func didJoin(_ region: DatabaseRegion, isCurrent: Bool) { didJoin() }
    }

    private final class Other: ObservedMember {}

    /// Has two members join one after the other, the second while commits begin to be told; gives
    /// how many must look again after the next commit.
    private func uncertain(
        after body: (DatabaseQueue, (Database) -> Void) throws -> Void
    ) throws -> Int {
        let queue = try DatabaseQueue.withTable()
        let hub = queue.observationHub
        let other = Other()
        let member = Joining { [unowned hub, unowned queue] in
            hub.join(.fullDatabase, for: other, after: nil, of: queue)
        }
        hub.state.withLock {
            $0.joining = [.init(member: member, region: .fullDatabase, state: nil)]
        }
        try body(queue) { hub.install(on: $0) }
        return hub.state.withLock { $0.uncertain.count }
    }

    @Test func theHubsOwnAccessIsNobodysWriting() throws {
        #expect(try uncertain { queue, install in queue.inDatabase { install($0) } } == 0)
    }

    @Test func aTransactionThatIsOpenMayHaveChangedAnything() throws {
        let count = try uncertain { queue, install in
            try queue.inDatabase { db in
                try db.inTransaction {
                    install(db)
                    return .rollback
                }
            }
        }
        #expect(count == 2)
    }

    @Test func whoIsCancelledWhileItBeginsToFollowIsForgotten() throws {
        let queue = try DatabaseQueue.withTable()
        let isTracking = Gate()
        let mayGoOn = Gate()
        let cancellable = ValueObservation.tracking { db in try db.rowCount() ?? -1 }
            .handleEvents(willTrackRegion: { _ in
                isTracking.open()
                try? mayGoOn.wait()
            })
            .start(
                in: queue,
                scheduling: .async(onQueue: .main),
                onError: { Issue.record($0) },
                onChange: { _ in Issue.record("told") }
            )
        try isTracking.wait()
        cancellable.cancel()
        mayGoOn.open()
        // After the access of the observation.
        queue.inDatabase { _ in }
        #expect(queue.observationHub.state.withLock { $0.groups.isEmpty })
    }
}
