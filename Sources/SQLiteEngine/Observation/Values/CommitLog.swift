/// The commits that a ``DirtySet`` does not take into account yet.
///
/// A commit acquires only the lock of the log. The lock of the set is held for longer, and more
/// often: a writer that waits for that lock is woken on the fetcher's processor, and may then wait
/// for a whole round.
struct CommitLog {
    /// A group whose region was changed.
    struct Change {
        let group: Int
        /// The number of commits that changed the region.
        var commits: UInt64 = 1
    }

    /// The number of commits while the hub was installed.
    private(set) var commits: UInt64 = 0
    private(set) var changes: [Change] = []
    /// Whether a commit must update the set immediately instead of appending to the log.
    ///
    /// This is the case in a database without readers, which fetches values in the commit, and
    /// while the set contains uncertain members, members to notify of each commit, or no members.
    var isImmediate = true
    /// The version of the set's groups.
    var version = 0

    /// Counts a commit that changed the regions of groups.
    mutating func append(_ groups: [Int]) {
        commits += 1
        for group in groups {
            if let index = changes.firstIndex(where: { $0.group == group }) {
                changes[index].commits += 1
            } else {
                changes.append(Change(group: group))
            }
        }
    }

    /// Removes the changes.
    ///
    /// - Returns: The changes, and the number of commits so far.
    mutating func take() -> (changes: [Change], count: UInt64) {
        defer { if !changes.isEmpty { changes = [] } }
        return (changes, commits)
    }
}
