/// The observed values of a database that must be fetched or are being fetched.
///
/// A commit marks the values whose regions it changed. A round fetches the marked values one after
/// another. At most one fetch of a value runs, and at most one more is pending.
///
/// The set is a value without locks and clocks. ``ObservationHub`` protects it with a lock.
struct DirtySet<Member: Hashable & Sendable> {
    /// A region that one or more members depend on.
    struct Group {
        let region: DatabaseRegion
        var members: Set<Member> = []
        /// The last commit that changed the region, if the members have not been marked yet.
        ///
        /// Marking a group instead of its members makes the cost of a commit independent of the
        /// number of members.
        var changedBy: UInt64?
    }

    private struct Entry {
        var group: Int
        /// The commit that the next fetch must reflect, or `nil` if no fetch is necessary.
        var due: UInt64?
        /// The last commit that the last fetch is known to reflect.
        var shown: UInt64?
        var isFetching = true
        /// Whether the next fetch shares an access with other fetches.
        var isShared = true
    }

    /// The members that one access fetches.
    struct Round: Sendable {
        let number: UInt64
        /// The number of commits before the access captured its state.
        let commits: UInt64
        /// The members that need a separate access each, and whose fetches have begun.
        let separate: [Member]
        /// Whether no member shares the access.
        let isEmpty: Bool
    }

    /// The number of commits while the hub was installed.
    private(set) var commits: UInt64 = 0
    /// The number of marks that required no additional fetch.
    private(set) var coalesced: UInt64 = 0
    private(set) var groups: [Int: Group] = [:]
    /// A number that increases when the regions of the groups change.
    private(set) var version = 0
    private var entries: [Member: Entry] = [:]
    /// The members that must fetch again after the next commit, regardless of its changes.
    private var uncertain: Set<Member> = []
    /// The groups whose ``Group/changedBy`` is set.
    private var changedGroups: [Int] = []
    /// The marked members that are neither being fetched nor remaining in a round, oldest first.
    private var pending: [Member] = []
    /// The members that the current round has yet to fetch.
    private var remaining: ArraySlice<Member> = []
    /// The fetched members that must be delivered.
    private var fetched: [Member] = []
    private var round: UInt64 = 0
    /// The start time of the current round's running fetch, or `nil` between two fetches.
    private var fetchStart: UInt64?

    var count: Int { entries.count }
    var uncertainCount: Int { uncertain.count }

    /// Whether the current round ended before it fetched all its members.
    var isUnfinished: Bool { !remaining.isEmpty }

    /// Whether the current round is in a fetch or still has members to fetch.
    var isRoundRunning: Bool { fetchStart != nil || isUnfinished }

    /// Whether any values must be fetched.
    var hasWork: Bool { !pending.isEmpty || !remaining.isEmpty || !changedGroups.isEmpty }

    // MARK: Members

    /// Adds a member whose fetch is running, or changes the region of a member.
    ///
    /// The next commit marks an uncertain member, because a running transaction may already have
    /// changed the region.
    mutating func add(_ member: Member, _ region: DatabaseRegion, isUncertain: Bool) {
        if isUncertain { uncertain.insert(member) }
        if let group = entries[member]?.group {
            if groups[group]?.region == region { return }
            leave(group, member: member)
        }
        let group = groups.first { $0.value.region == region }?.key ?? makeGroup(region)
        // An earlier change to the group also marks a new member, which costs one extra fetch.
        groups[group]?.members.insert(member)
        entries[member, default: Entry(group: group)].group = group
    }

    /// Removes a member.
    ///
    /// The set no longer retains the member unless its fetched value must be delivered.
    mutating func remove(_ member: Member) {
        uncertain.remove(member)
        guard let entry = entries.removeValue(forKey: member) else { return }
        removeFromLists(member)
        leave(entry.group, member: member)
    }

    private mutating func removeFromLists(_ member: Member) {
        pending.removeAll { $0 == member }
        remaining.removeAll { $0 == member }
    }

    /// Makes a member uncertain, so that the next commit marks it.
    mutating func makeUncertain(_ member: Member) {
        if entries[member] != nil { uncertain.insert(member) }
    }

    mutating func confirm(_ member: Member) { uncertain.remove(member) }

    mutating func confirmAll() { uncertain = [] }

    private mutating func makeGroup(_ region: DatabaseRegion) -> Int {
        version += 1
        groups[version] = Group(region: region)
        return version
    }

    private mutating func leave(_ group: Int, member: Member) {
        groups[group]?.members.remove(member)
        // A change to the previous region may require the member's next fetch.
        if let commit = groups[group]?.changedBy { mark(member, at: commit) }
        guard groups[group]?.members.isEmpty == true else { return }
        groups[group] = nil
        changedGroups.removeAll { $0 == group }
        version += 1
    }

    // MARK: Marks

    /// Returns the members that a change to the given groups affects, including uncertain members.
    func members(changedIn groups: [Int]) -> Set<Member> {
        groups.reduce(into: uncertain) { $0.formUnion(self.groups[$1]?.members ?? []) }
    }

    /// Applies commits by marking the members of the groups that they changed.
    ///
    /// - Parameters:
    ///   - changes: The changed groups.
    ///   - count: The number of commits so far.
    ///   - limit: The maximum number of members to mark individually. Beyond this limit, the method
    ///     marks whole groups.
    /// - Returns: The members that are marked individually.
    @discardableResult
    mutating func commit(
        _ changes: [CommitLog.Change],
        count: UInt64,
        limit: Int = 0
    ) -> [Member] {
        guard count > commits else { return [] }
        commits = count
        var marked = uncertain
        uncertain = []
        for change in changes {
            guard let group = groups[change.group] else { continue }
            if marked.count + group.members.count <= limit {
                marked.formUnion(group.members)
                continue
            }
            var earlier = change.commits - 1
            if group.changedBy == nil { changedGroups.append(change.group) } else { earlier += 1 }
            coalesced += earlier * UInt64(group.members.count)
            groups[change.group]?.changedBy = commits
        }
        for member in marked { mark(member, at: commits) }
        return Array(marked)
    }

    /// Requests a fetch that reflects all commits counted so far.
    mutating func request(_ member: Member) { mark(member, at: commits) }

    private mutating func mark(_ member: Member, at commit: UInt64) {
        guard let index = entries.index(forKey: member) else { return }
        let entry = entries.values[index]
        let isShown = entry.shown.map { $0 >= commit } == true
        if isShown || entry.due != nil { coalesced += 1 }
        if isShown { return }
        // A group's earlier change must not replace a later request.
        entries.values[index].due = max(entry.due ?? 0, commit)
        if !entry.isFetching && entry.due == nil { pending.append(member) }
    }

    private mutating func markChangedGroups() {
        for number in changedGroups {
            guard let group = groups[number], let commit = group.changedBy else { continue }
            groups[number]?.changedBy = nil
            for member in group.members { mark(member, at: commit) }
        }
        changedGroups = []
    }

    // MARK: Fetches

    /// Starts the next round, before its access captures a state.
    ///
    /// If the previous round is unfinished, the new round fetches the remaining members, because
    /// the state of the new access is at least as recent. Otherwise, it fetches all marked members.
    mutating func beginRound() -> Round {
        replaceRound()
        var separate: [Member] = []
        if remaining.isEmpty {
            markChangedGroups()
            for member in pending {
                if entries[member]?.isShared == true {
                    remaining.append(member)
                } else if begin(member, showing: commits) {
                    separate.append(member)
                }
            }
            pending = []
        }
        return Round(
            number: round,
            commits: commits,
            separate: separate,
            isEmpty: remaining.isEmpty
        )
    }

    /// Makes the current round end after its running fetch.
    mutating func replaceRound() {
        round += 1
        fetchStart = nil
    }

    /// Begins the next fetch of a round.
    ///
    /// - Parameters:
    ///   - round: The round.
    ///   - commit: The last commit that the fetch is known to reflect.
    ///   - instant: The current time.
    /// - Returns: The member to fetch, or `nil` if the round is complete or another round has
    ///   replaced it.
    mutating func next(in round: UInt64, showing commit: UInt64, at instant: UInt64) -> Member? {
        guard isCurrent(round) else { return nil }
        while let member = remaining.popFirst() {
            guard begin(member, showing: commit) else { continue }
            fetchStart = instant
            return member
        }
        return nil
    }

    /// Begins a fetch of a marked member.
    ///
    /// The fetch reflects all commits counted so far.
    ///
    /// - Returns: Whether the caller must fetch the value.
    mutating func beginFetch(_ member: Member) -> Bool {
        guard begin(member, showing: commits) else { return false }
        removeFromLists(member)
        return true
    }

    private mutating func begin(_ member: Member, showing commit: UInt64) -> Bool {
        guard let index = entries.index(forKey: member) else { return false }
        let entry = entries.values[index]
        guard let due = entry.due, !entry.isFetching else { return false }
        // A later commit may have marked the member again after the round captured its state.
        entries.values[index].due = due > commit ? due : nil
        entries.values[index].isFetching = true
        return true
    }

    /// Ends a fetch, and marks the member again if the fetch does not reflect all requested
    /// commits.
    ///
    /// - Parameters:
    ///   - member: The fetched member.
    ///   - commit: The last commit that the value is known to reflect, or `nil` if it is unknown.
    ///   - isShared: Whether the next fetch shares an access with other fetches.
    ///   - round: The round of the fetch, which delivers the value, or `nil`.
    mutating func endFetch(
        _ member: Member,
        showing commit: UInt64?,
        isShared: Bool,
        in round: UInt64? = nil
    ) {
        if let round {
            if isCurrent(round) { fetchStart = nil }
            fetched.append(member)
        }
        guard let index = entries.index(forKey: member) else { return }
        var entry = entries.values[index]
        entry.isFetching = false
        entry.isShared = isShared
        entry.shown = commit
        if let due = entry.due, let commit, due <= commit {
            coalesced += 1
            entry.due = nil
        }
        if entry.due != nil { pending.append(member) }
        entries.values[index] = entry
    }

    func isCurrent(_ round: UInt64) -> Bool { round == self.round }

    /// Returns whether the current round has been in one fetch since before an instant.
    func isFetching(sinceBefore instant: UInt64) -> Bool {
        fetchStart.map { $0 < instant } == true
    }

    /// Removes and returns the members whose fetched values must be delivered.
    mutating func takeFetched() -> [Member] {
        defer { fetched = [] }
        return fetched
    }
}

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
