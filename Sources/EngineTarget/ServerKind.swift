import WorkloadEngine

/// The kind of server that performs an arm's accesses in a library with queues and pools.
package enum ServerKind: Sendable {
    /// One connection for all accesses to a file or an in-memory database.
    case queue(isWAL: Bool, isInMemory: Bool)
    /// A writer and several readers.
    case pool
    /// A snapshot of a pool.
    case snapshot

    package func supports(_ access: WorkloadAccess) -> Bool {
        switch (self, access) {
        case (.queue, .snapshot), (.snapshot, .write), (.snapshot, .writeWithoutTransaction),
            (.snapshot, .snapshot):
            false
        case (_, .read), (_, .write), (_, .writeWithoutTransaction), (_, .snapshot): true
        }
    }

    package func has(_ capability: WorkloadAbility) -> Bool {
        switch (self, capability) {
        case (.queue(let isWAL, _), .writeAheadLog): isWAL
        case (.snapshot, _): false
        case (.queue(_, let isInMemory), .sharedFile): !isInMemory
        case (.pool, .writeAheadLog), (.pool, .sharedFile), (_, .backup), (_, .tasks),
            (_, .concurrentReads):
            true
        }
    }
}
