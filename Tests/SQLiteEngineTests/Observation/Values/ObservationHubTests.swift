import Telemetry
import TestSupport
import Testing

@testable import SQLiteEngine

/// Tests how members start to follow the commits of a database.
struct ObservationHubTests {
    /// A member that makes another member join from within its `didJoin` callback.
    private final class JoiningMember: ObservedMember {
        let didJoin: @Sendable () -> Void

        init(_ didJoin: @escaping @Sendable () -> Void) { self.didJoin = didJoin }

        func didJoin(_ region: DatabaseRegion, isCurrent: Bool) { didJoin() }
    }

    private final class OtherMember: ObservedMember {}

    /// Makes two members join, the second one while notifications of commits start.
    ///
    /// - Returns: The number of members that must fetch again after the next commit.
    private func uncertainMemberCount(
        after body: (DatabaseQueue, (Database) -> Void) throws -> Void
    ) throws -> Int {
        let queue = try DatabaseQueue.withTable()
        let hub = queue.observationHub
        let other = OtherMember()
        let member = JoiningMember { [unowned hub, unowned queue] in
            hub.join(.fullDatabase, for: other, after: nil, of: queue)
        }
        hub.watch(.fullDatabase, for: member, of: queue, mayBeWriting: false)
        hub.state.withLock {
            $0.joiningMembers = [.init(member: member, region: .fullDatabase, state: nil)]
        }
        try body(queue) { hub.install(on: $0) }
        return hub.state.withLock { $0.dirty.uncertainCount }
    }

    @Test func theAccessOfTheHubIsNotCountedAsAWrite() throws {
        let count = try uncertainMemberCount { queue, install in
            queue.inDatabase { install($0) }
        }
        #expect(count == 0)
    }

    @Test func anOpenTransactionMakesAllMembersUncertain() throws {
        let count = try uncertainMemberCount { queue, install in
            try queue.inDatabase { db in
                try db.inTransaction {
                    install(db)
                    return .rollback
                }
            }
        }
        #expect(count == 2)
    }

    @Test func anObservationCancelledAtItsStartIsRemoved() throws {
        let queue = try DatabaseQueue.withTable()
        let isTracking = Gate()
        let mayContinue = Gate()
        let cancellable = ValueObservation.tracking { db in try db.rowCount() ?? -1 }
            .handleEvents(willTrackRegion: { _ in
                isTracking.open()
                try? mayContinue.wait()
            })
            .start(
                in: queue,
                scheduling: .async(onQueue: .main),
                onError: { Issue.record($0) },
                onChange: { _ in Issue.record("notified") }
            )
        try isTracking.wait()
        cancellable.cancel()
        mayContinue.open()
        // This access runs after the observation's access.
        queue.inDatabase { _ in }
        #expect(queue.observationHub.state.withLock { $0.dirty.groups.isEmpty })
    }
}
