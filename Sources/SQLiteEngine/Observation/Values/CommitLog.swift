/// The commits that have not yet been applied to a ``DirtySet``.
///
/// A commit acquires only the log's lock. The set's lock is held longer and more often. A writer
/// that waits for the set's lock is woken on the fetcher's processor and may then wait for a whole
/// round.
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
    /// This property is `true` in a database without readers, where the commit itself fetches
    /// values. It is also `true` while the set is empty, contains uncertain members, or contains
    /// members to notify of each commit.
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
