extension DatabaseError {
    /// The maximum number of connections, and of waits in addition to the failing wait, that a
    /// message lists.
    private static let maximumListed = 8

    /// Returns the error for an access that would wait forever.
    ///
    /// SQLite also returns `SQLITE_LOCKED` if waiting for another connection of the same process
    /// would cause a deadlock (https://sqlite.org/unlock_notify.html). The first element of `waits`
    /// is the failing wait, which depends on the others.
    static func deadlock(_ waits: [AccessGate.NestedWait]) -> DatabaseError {
        var parts = waits.prefix(1 + maximumListed).enumerated().map { index, wait in
            (index == 0 ? "this access" : "another access") + describe(wait)
        }
        if waits.count > parts.count { parts.append("and \(waits.count - parts.count) more") }
        return DatabaseError(
            resultCode: .SQLITE_LOCKED,
            message: "deadlock: " + parts.joined(separator: "; ")
        )
    }

    private static func describe(_ wait: AccessGate.NestedWait) -> String {
        let holdings = wait.holdings.map { holding in
            (holding.isReserved ? "has reserved " : "holds ") + holding.slot.label
                + describe(holding.site)
        }
        return describe(wait.site) + " " + holdings.joined(separator: ", ") + " and waits for "
            + describe(wait.awaited.map(\.label))
    }

    private static func describe(_ labels: [String]) -> String {
        if labels.count <= maximumListed { return labels.joined(separator: " or ") }
        return "one of \(labels.count) connections from \(labels[0]) to \(labels[labels.count - 1])"
    }

    private static func describe(_ site: AccessSite) -> String {
        site.origin.map { " (\($0.name))" } ?? ""
    }
}
