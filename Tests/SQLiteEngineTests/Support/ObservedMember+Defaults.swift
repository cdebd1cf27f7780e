@testable import SQLiteEngine

/// Default implementations for fake members that are quick and do nothing.
extension ObservedMember {
    var receivesChanges: Bool { true }
    var usesReaders: Bool { true }
    var isQuick: Bool { true }
    var runsClosuresOnDelivery: Bool { false }

    func databaseDidChange() {}
    func didJoin(_ region: DatabaseRegion, isCurrent: Bool) {}
    func mayFetch(afterCommitOn db: Database) -> Bool { false }
    func fetch(afterCommitOn db: Database) -> Bool { false }
    func fetch(_ db: Result<Database, any Error>, after commits: UInt64) {}
    func beginDelivery() -> Bool { false }
    func deliver(through delivery: inout Delivery) {}
    func endDelivery() -> Bool { true }
}
