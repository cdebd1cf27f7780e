import Telemetry

/// The holders of a resource that has waiters.
struct Blockers: Sendable {
    /// The resource, such as `a reader`.
    var resource: String
    /// The waiters, such as `5 reads`.
    var waiters: String
    /// The holders, longest hold first.
    var holders: [ConnectionStatus]
    /// An explanation, if the holders alone do not explain the wait.
    var remark: String?

    /// Returns a database's waiters in groups, each with the holders that block the group.
    static func all(in database: DatabaseStatus) -> [Blockers] {
        var groups: [Blockers] = []
        let readers = database.waitingReaders.count
        let writers = database.waitingWriters.count
        let isQueue = database.readers == nil
        if isQueue, readers + writers > 0 {
            groups.append(
                Blockers(
                    resource: "the connection",
                    waiters: waiters(readers: readers, writers: writers),
                    holders: heldConnections(database, roles: [.queue])
                )
            )
        } else {
            if readers > 0 {
                var group = Blockers(
                    resource: "a reader",
                    waiters: waiters(readers: readers, writers: 0),
                    holders: heldConnections(database, roles: [.reader])
                )
                if let pool = database.readers {
                    if pool.inUse < pool.maximum {
                        group.remark =
                            "a reader is free or being opened; the first waiter "
                            + "will acquire it"
                    } else if group.holders.count < pool.maximum {
                        // A reader without a holder was handed over to a waiter that has not
                        // started its access.
                        let count = pool.maximum - group.holders.count
                        group.remark =
                            count == 1
                            ? "a reader is being handed over to the first waiter"
                            : "\(count) readers are being handed over to the first waiters"
                    }
                }
                groups.append(group)
            }
            if writers > 0 {
                groups.append(
                    Blockers(
                        resource: "the writer",
                        waiters: waiters(readers: 0, writers: writers),
                        holders: heldConnections(database, roles: [.writer])
                    )
                )
            }
        }
        for connection in database.connections where connection.state == .waitingForLock {
            groups.append(Self.lock(connection, in: database))
        }
        return groups
    }

    private static func waiters(readers: Int, writers: Int) -> String {
        var parts: [String] = []
        if readers > 0 { parts.append(readers == 1 ? "1 read" : "\(readers) reads") }
        if writers > 0 { parts.append(writers == 1 ? "1 write" : "\(writers) writes") }
        return parts.joined(separator: " and ")
    }

    private static func heldConnections(
        _ database: DatabaseStatus,
        roles: Set<ConnectionRole>
    ) -> [ConnectionStatus] {
        database.connections.filter { roles.contains($0.role) && $0.state != .idle }
            .sorted { ($0.heldNanoseconds ?? 0) > ($1.heldNanoseconds ?? 0) }
    }

    /// Returns a group for a connection that waits for a file lock.
    ///
    /// The holders are the connections that may hold the lock.
    private static func lock(
        _ connection: ConnectionStatus,
        in database: DatabaseStatus
    ) -> Blockers {
        let holders = database.connections.filter {
            $0.label != connection.label && $0.transaction == .write
        }
        return Blockers(
            resource: "a file lock",
            waiters: connection.holder?.name ?? connection.label,
            holders: holders,
            remark: holders.isEmpty
                ? "another process or another connection holds the lock on the file" : nil
        )
    }
}
