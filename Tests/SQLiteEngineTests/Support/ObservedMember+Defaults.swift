@testable import SQLiteEngine

/// Default implementations for fake members that are quick and do nothing.
extension ObservedMember {
    var database: (any ObservedDatabase)? { nil }
    var wantsChanges: Bool { true }
    var usesReaders: Bool { true }
    var isQuick: Bool { true }
    var isDeliveryQuick: Bool { true }
    var runsClosuresOnDelivery: Bool { false }

    func databaseDidChange() {}
    func didJoin(_ region: DatabaseRegion, isCurrent: Bool) {}
    func fetch(afterCommitOn db: Database) -> Bool { false }
    func beginFetch() -> Bool { true }
    func fetch(_ db: Result<Database, any Error>, after commits: UInt64) {}
    func endFetch() -> Bool { false }
    func beginDelivery() -> Bool { false }
    func deliver(through delivery: Delivery) {}
    func endDelivery() -> Bool { true }
}
