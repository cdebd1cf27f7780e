import Testing

@testable import SQLiteEngine

/// Tests which values a commit marks and which values a round fetches.
struct DirtySetTests {
    private static let t = DatabaseRegion(table: "t")
    private static let u = DatabaseRegion(table: "u")

    /// Returns a set whose members have completed their first fetches.
    private func makeSet(_ regions: [Int: DatabaseRegion]) -> DirtySet<Int> {
        var set = DirtySet<Int>()
        for (member, region) in regions.sorted(by: { $0.key < $1.key }) {
            set.add(member, region, isUncertain: false)
            set.endFetch(member, showing: nil, isShared: true)
        }
        return set
    }

    private func makeSet(count: Int) -> DirtySet<Int> {
        makeSet(Dictionary(uniqueKeysWithValues: (0..<count).map { ($0, Self.t) }))
    }

    private func commit(_ set: inout DirtySet<Int>, to regions: DatabaseRegion..., limit: Int = 8) {
        let changed = set.groups.filter { regions.contains($0.value.region) }.map(\.key)
        _ = commit(&set, toGroups: changed, limit: limit)
    }

    private func commit(_ set: inout DirtySet<Int>, toGroups groups: [Int], limit: Int) -> [Int] {
        var log = CommitLog()
        log.append(groups)
        return set.commit(log.take().changes, count: set.commits + 1, limit: limit)
    }

    /// Fetches all remaining members of a round.
    private func fetchAll(_ set: inout DirtySet<Int>, _ round: DirtySet<Int>.Round) -> [Int] {
        var fetched: [Int] = []
        while let member = set.next(in: round.number, showing: round.commits, at: 0) {
            fetched.append(member)
            set.endFetch(member, showing: round.commits, isShared: true, in: round.number)
        }
        return fetched
    }

    private func fetchNext(_ set: inout DirtySet<Int>) -> [Int] {
        let round = set.beginRound()
        return fetchAll(&set, round)
    }

    @Test(arguments: [0, 8])
    func aCommitMarksTheMembersOfChangedRegions(limit: Int) {
        var set = makeSet([0: Self.t, 1: Self.u, 2: Self.t])
        #expect(!set.hasWork)
        commit(&set, to: Self.t, limit: limit)
        #expect(set.hasWork)
        let round = set.beginRound()
        #expect(fetchAll(&set, round).sorted() == [0, 2])
        #expect(set.takeFetched().sorted() == [0, 2])
        #expect(set.takeFetched().isEmpty)
        #expect(!set.hasWork)
    }

    @Test func aCommitReturnsTheMembersUpToItsLimit() {
        var set = makeSet([0: Self.t, 1: Self.u, 2: Self.u])
        let all = Array(set.groups.keys)
        let marked = [3, 2, 0].map { commit(&set, toGroups: all, limit: $0) }
        #expect(marked[0].sorted() == [0, 1, 2])
        #expect(marked[1].count <= 2)
        #expect(marked[2].isEmpty)
    }

    @Test func commitsBeforeARoundShareOneFetch() {
        var set = makeSet(count: 1)
        for _ in 0..<3 { commit(&set, to: Self.t) }
        let round = set.beginRound()
        #expect(fetchAll(&set, round) == [0])
        #expect(set.coalesced == 2)
        #expect(!set.hasWork)
    }

    /// Several commits may precede the set's next update.
    @Test func loggedCommitsShareOneFetch() {
        var set = makeSet(count: 2)
        var log = CommitLog()
        for _ in 0..<3 { log.append(Array(set.groups.keys)) }
        log.append([])
        let (changes, count) = log.take()
        set.commit(changes, count: count)
        #expect(log.changes.isEmpty)
        #expect(set.commits == 4)
        #expect(set.coalesced == 4)
        let round = set.beginRound()
        #expect(round.commits == 4)
        #expect(fetchAll(&set, round).sorted() == [0, 1])
        // The set has already taken these commits into account.
        set.commit([], count: log.commits)
        #expect(!set.hasWork)
    }

    /// A logged commit marks the uncertain members even if it changes no regions.
    @Test func aLoggedCommitWithoutChangesMarksUncertainMembers() {
        var set = makeSet(count: 2)
        set.makeUncertain(1)
        set.commit([], count: set.commits)
        #expect(!set.hasWork)
        set.commit([], count: set.commits + 1)
        #expect(fetchNext(&set) == [1])
    }

    @Test func aCommitDuringAFetchCausesOneMoreFetch() {
        var set = makeSet(count: 1)
        commit(&set, to: Self.t)
        let round = set.beginRound()
        #expect(set.next(in: round.number, showing: round.commits, at: 0) == 0)
        commit(&set, to: Self.t)
        commit(&set, to: Self.t)
        // At most one fetch of a value runs at a time.
        #expect(set.beginRound().isEmpty)
        set.endFetch(0, showing: round.commits, isShared: true)
        let next = set.beginRound()
        #expect(fetchAll(&set, next) == [0])
        #expect(!set.hasWork)
    }

    /// The round's state predates the commit that marks a waiting member.
    @Test(arguments: [0, 8])
    func aCommitDuringARoundCausesAnotherFetchOfItsRemainingMembers(limit: Int) {
        var set = makeSet(count: 3)
        commit(&set, to: Self.t, limit: limit)
        let round = set.beginRound()
        commit(&set, to: Self.t, limit: limit)
        #expect(fetchAll(&set, round).count == 3)
        #expect(set.hasWork)
        #expect(fetchNext(&set).sorted() == [0, 1, 2])
        #expect(!set.hasWork)
    }

    /// The commit itself fetches the values, so no round is necessary.
    @Test func aMemberThatTheCommitFetchesLeavesNoWork() {
        var set = makeSet(count: 2)
        commit(&set, to: Self.t)
        for member in 0..<2 {
            let begins = [set.beginFetch(member), set.beginFetch(member)]
            #expect(begins == [true, false])
            set.endFetch(member, showing: set.commits, isShared: true)
        }
        #expect(!set.hasWork)
        #expect(set.coalesced == 0)
    }

    /// The set must not be the last to retain a member, because user closures would then be
    /// released while the set's lock is held.
    @Test func aRemovedMemberIsNotRetained() {
        final class Value: Hashable, Sendable {
            static func == (a: Value, b: Value) -> Bool { a === b }
            func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
        }
        var set = DirtySet<Value>()
        weak var pending: Value?
        weak var remaining: Value?
        do {
            let (a, b) = (Value(), Value())
            (pending, remaining) = (a, b)
            for value in [a, b] {
                set.add(value, Self.t, isUncertain: true)
                set.endFetch(value, showing: nil, isShared: true)
            }
            set.request(b)
            _ = set.beginRound()
            set.request(a)
            set.remove(a)
            set.remove(b)
        }
        #expect(pending == nil)
        #expect(remaining == nil)
        #expect(!set.hasWork)
    }

    /// A fetch that runs on the writer, or that had to wait for a connection, may show later
    /// commits than the commit that requested the fetch.
    @Test func aFetchThatShowsALaterCommitIsNotRepeated() {
        var set = makeSet(count: 1)
        commit(&set, to: Self.t)
        let round = set.beginRound()
        #expect(set.next(in: round.number, showing: round.commits, at: 0) == 0)
        commit(&set, to: Self.t)
        set.endFetch(0, showing: set.commits, isShared: true)
        #expect(!set.hasWork)
        set.request(0)
        #expect(!set.hasWork)
        #expect(set.coalesced == 2)
    }

    /// A group's change is marked when a round begins, which may be after a later request.
    @Test func aGroupsEarlierChangeDoesNotReplaceALaterRequest() {
        var set = makeSet(count: 1)
        commit(&set, to: Self.t)
        let round = set.beginRound()
        #expect(set.next(in: round.number, showing: round.commits, at: 0) == 0)
        // The second commit changes the region, and the third commit changes another region.
        commit(&set, to: Self.t, limit: 0)
        commit(&set)
        set.request(0)
        #expect(set.beginRound().isEmpty)
        // The fetch shows the second commit.
        set.endFetch(0, showing: round.commits + 1, isShared: true)
        #expect(fetchNext(&set) == [0])
    }

    @Test func aCommitDuringTheFirstFetchIsNotLost() {
        var set = DirtySet<Int>()
        set.add(0, Self.t, isUncertain: false)
        commit(&set, to: Self.t)
        let round = set.beginRound()
        #expect(round.isEmpty)
        set.endFetch(0, showing: nil, isShared: true)
        #expect(set.hasWork)
    }

    /// A round with an older state must not fetch values that a later commit marked.
    @Test func aReplacedRoundStopsFetching() throws {
        var set = makeSet(count: 3)
        commit(&set, to: Self.t)
        let blocked = set.beginRound()
        let begun = set.next(in: blocked.number, showing: blocked.commits, at: 10)
        let first = try #require(begun)
        #expect(!set.isFetching(sinceBefore: 10))
        #expect(set.isFetching(sinceBefore: 11))
        #expect(set.isRoundRunning)
        set.replaceRound()
        #expect(!set.isFetching(sinceBefore: 11))
        commit(&set, to: Self.t)
        let next = set.beginRound()
        // The new round first fetches the remaining members of the blocked round.
        #expect(fetchAll(&set, next).count == 2)
        #expect(set.next(in: blocked.number, showing: blocked.commits, at: 20) == nil)
        #expect(!set.hasWork)
        // When the blocked fetch ends, its member is fetched again for the second commit.
        set.endFetch(first, showing: blocked.commits, isShared: true, in: blocked.number)
        let last = set.beginRound()
        #expect(fetchAll(&set, last) == [first])
        // These are two values from the next round and two values from the blocked member.
        #expect(set.takeFetched().count == 4)
    }

    @Test func anUnfinishedRoundContinuesBeforeLaterMarks() {
        var set = makeSet([0: Self.t, 1: Self.t, 2: Self.u])
        commit(&set, to: Self.t)
        let round = set.beginRound()
        let first = set.next(in: round.number, showing: round.commits, at: 0) ?? -1
        set.endFetch(first, showing: round.commits, isShared: true, in: round.number)
        #expect(set.isUnfinished)
        commit(&set, to: Self.u)
        #expect(fetchNext(&set) == [1 - first])
        #expect(fetchNext(&set) == [2])
    }

    @Test func aSlowMemberIsFetchedSeparately() {
        var set = makeSet(count: 2)
        commit(&set, to: Self.t)
        var round = set.beginRound()
        while let member = set.next(in: round.number, showing: round.commits, at: 0) {
            set.endFetch(member, showing: round.commits, isShared: member == 0, in: round.number)
        }
        commit(&set, to: Self.t)
        round = set.beginRound()
        #expect(round.separate == [1])
        #expect(fetchAll(&set, round) == [0])
    }

    @Test func anUncertainMemberIsMarkedByAnyCommit() {
        var set = makeSet([0: Self.t])
        set.add(0, Self.t, isUncertain: true)
        commit(&set)
        #expect(fetchNext(&set) == [0])
        commit(&set)
        #expect(!set.hasWork)
        set.makeUncertain(0)
        set.confirm(0)
        commit(&set)
        #expect(!set.hasWork)
    }

    @Test func aRemovedMemberIsNeitherMarkedNorFetched() {
        var set = makeSet(count: 2)
        commit(&set, to: Self.t)
        set.remove(0)
        #expect(fetchNext(&set) == [1])
        set.makeUncertain(0)
        set.request(0)
        #expect(set.uncertainCount == 0)
        #expect(!set.hasWork)
        set.remove(1)
        #expect(set.groups.isEmpty)
        #expect(set.count == 0)
    }

    /// If a member's region changes before a commit's members are marked, a commit to the previous
    /// region still marks the member.
    @Test func aMemberThatChangesItsRegionKeepsItsMark() {
        var set = makeSet(count: 2)
        commit(&set, to: Self.t, limit: 0)
        set.add(0, Self.u, isUncertain: false)
        #expect(fetchNext(&set).sorted() == [0, 1])
        commit(&set, to: Self.u)
        #expect(fetchNext(&set) == [0])
    }
}
