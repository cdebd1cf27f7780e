import Synchronization
import Telemetry

/// Tells all observed values of one database what its writer commits.
///
/// One transaction observer for all of them. A commit notes which regions it touched and wakes
/// another thread, unless that is awake already: a hundred values that depend on the same tables
/// cost the writer as much as one does. The values are fetched in ``FetchRound``s; only a database
/// without readers fetches a few quick ones in the commit itself.
///
/// `@unchecked Sendable`: what is `var` is used by the writer's access alone, all else is in `state`.
final class ObservationHub: TransactionObserver, @unchecked Sendable {
    /// Values that depend on the same region.
    final class Watched: Sendable {
        let region: DatabaseRegion
        init(_ region: DatabaseRegion) { self.region = region }
    }

    typealias Members = [ObjectIdentifier: any ObservedMember]

    struct Group {
        let watched: Watched
        var members: Members
        /// Those of them who want to hear of each commit at once.
        var listeners: Members
    }

    struct State {
        var groups: [Group] = []
        /// Changes with the regions of the groups.
        var version = 0
        /// Those who must look again after the next commit, whatever it brings.
        var uncertain: Members = [:]
        /// What was committed that nobody has fetched yet: the regions.
        var touched: [Watched] = []
        /// Those who have to be fetched, whatever was committed.
        var waiting: Members = [:]
        /// Who looks for what has to be fetched.
        var lookout = Lookout()
        /// Those that several are being fetched in, by readers.
        var rounds: [RoundInProgress] = []
        /// Whether the writer's commits are told.
        var isInstalled = false
        /// Those who wait for that, with the state that they have seen.
        var joining: [Joining] = []
    }

    struct Joining {
        let member: any ObservedMember
        let region: DatabaseRegion
        let state: CommittedState?
    }

    /// How many values a commit on a database without readers fetches itself.
    ///
    /// Few of them are told each commit, one by one. Many would hold up the next write: they are
    /// fetched later, and several commits may be told as one.
    private static let mostFetchesInACommit = 8

    /// How many readers nobody has now.
    let freeReaders: @Sendable () -> Int
    /// Counts the commits of the writer while somebody observes.
    let commits = Atomic<UInt64>(0)
    /// ``EngineTimings/cheapFetch``, unless a test sets it.
    let cheapFetch = Atomic<UInt64>(EngineTimings.cheapFetch)
    /// ``EngineTimings/quickFetch``, unless a test sets it.
    let quickFetch = Atomic<UInt64>(EngineTimings.quickFetch)
    /// ``EngineTimings/longestRound``, unless a test sets it.
    let longestRound = Atomic<UInt64>(EngineTimings.longestRound)
    /// What the observations cost.
    let counts = ObservationCounts()

    let state = Lock(State())
    /// Where the lookout sleeps.
    let parker = Parker()
    /// By table, what the open transaction may change of it.
    private var concerned: [SQLName: [Watched]] = [:]
    /// What the open transaction has changed.
    private var touched: [Watched] = []
    /// Whether that is all that it may change.
    private var isAllTouched = false

    private struct Found {
        let kind: DatabaseEventKind
        let table: SQLName
        let watched: [Watched]
    }

    private static let mostFound = 32
    /// What kinds of changes were found to concern, in the groups of `foundVersion`.
    private var found: [Found] = []
    private var foundVersion = 0

    /// Creates the hub of a database; `freeReaders` says how many readers nobody has at a moment.
    init(freeReaders: @escaping @Sendable () -> Int = { 0 }) { self.freeReaders = freeReaders }

    /// What the observations cost; nil while there was none.
    var status: ObservationStatus? {
        let active = state.withLock { $0.groups.reduce(0) { $0 + $1.members.count } }
        let (onReaders, onWriter) = (counts[.onReaders], counts[.onWriter])
        guard active > 0 || onReaders > 0 || onWriter > 0 else { return nil }
        return ObservationStatus(
            active: active,
            fetchesOnReaders: onReaders,
            fetchesOnWriter: onWriter,
            coalesced: counts[.coalesced],
            duplicates: counts[.duplicates]
        )
    }

    // MARK: Members

    /// Makes sure that commits are told; to be called on the writer.
    ///
    /// Whoever began to join before is told what it has missed.
    func install(on db: Database) {
        // Nobody else can install: the writer is the caller's.
        if !state.withLock({ $0.isInstalled }) {
            db.add(transactionObserver: self, extent: .databaseLifetime)
        }
        let isOpen = db.isInsideTransaction
        let joining = state.withLock { state in
            state.isInstalled = true
            defer { state.joining = [] }
            for joining in state.joining where isOpen {
                state.uncertain[ObjectIdentifier(joining.member)] = joining.member
            }
            return state.joining
        }
        for joining in joining {
            joining.member.didJoin(
                joining.region,
                isCurrent: db.isInLastCommittedState(joining.state)
            )
        }
        // Who joined meanwhile took this for somebody's writing: no statement has begun.
        if !isOpen { state.withLock { $0.uncertain = [:] } }
    }

    /// Tells a member of the changes of a region, from a state on that a reader showed.
    ///
    /// Nobody waits here. Only where no value of the database was observed before, the hub has to
    /// get hold of the writer, once for all who join meanwhile; it does so when the writer is
    /// free, and holds nothing until then.
    ///
    /// - Parameters:
    ///   - region: What the value depends on.
    ///   - member: The value.
    ///   - state: The committed state that the value shows, or an earlier one.
    ///   - database: Whose state it is.
    func join(
        _ region: DatabaseRegion,
        for member: any ObservedMember,
        after state: CommittedState?,
        of database: any ObservedDatabase
    ) {
        let (isInstalled, isFirst) = self.state.withLock { hub in
            Self.add(region, member, to: &hub)
            if hub.isInstalled {
                hub.uncertain[ObjectIdentifier(member)] = member
                return (true, false)
            }
            hub.joining.append(Joining(member: member, region: region, state: state))
            return (false, hub.joining.count == 1)
        }
        if isInstalled {
            settle(member, in: database)
            member.didJoin(region, isCurrent: database.isInLastCommittedState(state))
        } else if isFirst {
            database.whenWriterIsFree { [self] in install(on: $0) }
        }
    }

    /// Tells a member of the changes of another region than before.
    ///
    /// - Parameters:
    ///   - region: What the value depends on now.
    ///   - member: The value.
    ///   - database: Whose writer may be writing meanwhile; nil when the caller has the writer.
    func watch(
        _ region: DatabaseRegion,
        for member: any ObservedMember,
        of database: (any ObservedDatabase)? = nil
    ) {
        state.withLock { state in
            Self.add(region, member, to: &state)
            if database != nil { state.uncertain[ObjectIdentifier(member)] = member }
        }
        if let database { settle(member, in: database) }
    }

    /// Lets a member be certain when no transaction is open whose changes were not looked at with
    /// its region in mind.
    ///
    /// The member was added before. A statement that begins later looks at its region; one that
    /// began earlier has the writer, or has given it back after its commit was counted.
    private func settle(_ member: any ObservedMember, in database: any ObservedDatabase) {
        guard !database.mayBeWriting else { return }
        state.withLock { $0.uncertain[ObjectIdentifier(member)] = nil }
    }

    /// Tells a member of nothing any more.
    func unwatch(_ member: any ObservedMember) {
        state.withLock { state in
            Self.remove(ObjectIdentifier(member), from: &state)
            // An empty list means that nobody has asked for the writer.
            guard state.joining.count > 1 else { return }
            state.joining.removeAll { $0.member === member }
        }
    }

    private static func add(
        _ region: DatabaseRegion,
        _ member: any ObservedMember,
        to state: inout State
    ) {
        let identity = ObjectIdentifier(member)
        remove(identity, from: &state)
        let index =
            state.groups.firstIndex { $0.watched.region == region } ?? state.groups.endIndex
        if index == state.groups.endIndex {
            state.version += 1
            state.groups.append(Group(watched: Watched(region), members: [:], listeners: [:]))
        }
        state.groups[index].members[identity] = member
        if member.wantsChanges { state.groups[index].listeners[identity] = member }
    }

    private static func remove(_ member: ObjectIdentifier, from state: inout State) {
        state.uncertain[member] = nil
        state.waiting[member] = nil
        guard let index = state.groups.firstIndex(where: { $0.members[member] != nil }) else {
            return
        }
        state.groups[index].members[member] = nil
        state.groups[index].listeners[member] = nil
        if state.groups[index].members.isEmpty {
            state.version += 1
            state.groups.remove(at: index)
        }
    }

    // MARK: Transactions

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
        let found = groups(concernedBy: eventKind)
        for watched in found.watched
        where concerned[found.table]?.contains(where: { $0 === watched }) != true {
            concerned[found.table, default: []].append(watched)
            isAllTouched = false
        }
        return !found.watched.isEmpty
    }

    /// The regions that changes of a kind may touch: found once, since statements come again.
    private func groups(concernedBy kind: DatabaseEventKind) -> Found {
        let version = state.withLock { $0.version }
        if version == foundVersion, let known = found.first(where: { $0.kind == kind }) {
            return known
        }
        let (groups, current) = state.withLock { ($0.groups.map(\.watched), $0.version) }
        if current != foundVersion || found.count >= Self.mostFound { found = [] }
        foundVersion = current
        let new = Found(
            kind: kind,
            table: SQLName(kind.tableName),
            watched: groups.filter { $0.region.isModified(byEventsOfKind: kind) }
        )
        found.append(new)
        return new
    }

    func databaseDidChange() {
        for watched in concerned.values.joined() { touch(watched) }
    }

    func databaseDidChange(with event: DatabaseEvent) {
        // What a transaction does after it has touched everything is no news.
        if isAllTouched { return }
        // A virtual table changes shadow tables of which the statement did not speak.
        let candidates = concerned[SQLName(event.tableName)] ?? Array(concerned.values.joined())
        for watched in candidates where watched.region.isModified(by: event) { touch(watched) }
    }

    private func touch(_ watched: Watched) {
        if touched.contains(where: { $0 === watched }) { return }
        touched.append(watched)
        isAllTouched = concerned.values.joined()
            .allSatisfy { concerned in touched.contains { $0 === concerned } }
    }

    func databaseDidCommit(_ db: Database) {
        commits.wrappingAdd(1, ordering: .sequentiallyConsistent)
        let touched = touched
        forgetTransaction()
        let (listeners, atOnce, isUnused) = state.withLock { state in
            var changed = state.uncertain
            var listeners =
                changed.isEmpty ? [:] : changed.filter { $0.value.wantsChanges }
            for group in state.groups where touched.contains(where: { $0 === group.watched }) {
                if !group.listeners.isEmpty {
                    listeners.merge(group.listeners) { member, _ in member }
                }
                if changed.count + group.members.count <= Self.mostFetchesInACommit {
                    changed.merge(group.members) { member, _ in member }
                } else if !state.touched.contains(where: { $0 === group.watched }) {
                    state.touched.append(group.watched)
                }
            }
            if !state.uncertain.isEmpty { state.uncertain = [:] }
            var atOnce: [any ObservedMember] = []
            for (identity, member) in changed {
                if member.usesReaders {
                    state.waiting[identity] = member
                } else {
                    atOnce.append(member)
                }
            }
            let isUnused = state.groups.isEmpty && state.joining.isEmpty
            if isUnused { state.isInstalled = false }
            return (listeners, atOnce, isUnused)
        }
        for member in listeners.values { member.databaseDidChange() }
        fetchSoon(atOnce.filter { !$0.fetch(afterCommitOn: db) })
        if isUnused { db.remove(transactionObserver: self) }
    }

    func databaseDidRollback(_ db: Database) { forgetTransaction() }

    private func forgetTransaction() {
        if !concerned.isEmpty { concerned = [:] }
        if !touched.isEmpty { touched = [] }
        isAllTouched = false
    }
}
