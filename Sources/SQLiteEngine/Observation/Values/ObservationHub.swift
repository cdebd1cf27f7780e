import Synchronization
import Telemetry

/// Notifies all observed values of a database when its writer commits.
///
/// All values share one transaction observer. A commit records the regions that it changed, and
/// wakes another thread unless that thread is already awake. As a result, a hundred values that
/// depend on the same tables cost the writer no more than one value. A ``FetchRound`` fetches the
/// values. In a database without readers, the commit itself fetches a few quick values.
///
/// `@unchecked Sendable`: only the access that holds the writer uses the variables. All other state
/// is constant or protected by a lock.
final class ObservationHub: TransactionObserver, @unchecked Sendable {
    final class Watched: Sendable {
        let region: DatabaseRegion
        init(_ region: DatabaseRegion) { self.region = region }
    }

    typealias Members = [ObjectIdentifier: any ObservedMember]

    struct Group {
        let watched: Watched
        var members: Members
        /// The members that need an immediate notification of each commit.
        var listeners: Members
    }

    struct State {
        var groups: [Group] = []
        /// A number that increases when the regions of the groups change.
        var version = 0
        /// The members that must fetch again after the next commit, regardless of the commit's
        /// changes.
        var uncertain: Members = [:]
        /// The regions that commits have changed since the last fetch of their values.
        var touched: [Watched] = []
        /// The members that must be fetched regardless of the changed regions.
        var waiting: Members = [:]
        var lookout = Lookout()
        /// The running rounds that fetch several members on readers.
        var rounds: [RoundInProgress] = []
        var isInstalled = false
        /// The members that wait for the installation, with the state that each member shows.
        var joining: [Joining] = []
    }

    struct Joining {
        let member: any ObservedMember
        let region: DatabaseRegion
        let state: CommittedState?
    }

    /// The maximum number of values that a commit itself fetches in a database without readers.
    ///
    /// Each commit fetches a few values. Fetching many values would delay the next write, so a
    /// later fetch handles them and may represent several commits.
    private static let maximumFetchesPerCommit = 8

    let freeReaders: @Sendable () -> Int
    /// The number of the writer's commits while the hub was installed.
    let commits = Atomic<UInt64>(0)
    /// The value of ``EngineTimings/cheapFetch``, which tests can override.
    let cheapFetch = Atomic<UInt64>(EngineTimings.cheapFetch)
    /// The value of ``EngineTimings/quickFetch``, which tests can override.
    let quickFetch = Atomic<UInt64>(EngineTimings.quickFetch)
    /// The value of ``EngineTimings/longestRound``, which tests can override.
    let longestRound = Atomic<UInt64>(EngineTimings.longestRound)
    let counts = ObservationCounts()

    let state = Lock(State())
    let parker = Parker()
    /// The regions that the open transaction may change, by table.
    private var concerned: [SQLName: [Watched]] = [:]
    private var touched: [Watched] = []
    /// Whether the open transaction has changed all regions that it may change.
    private var isAllTouched = false

    private struct Found {
        let kind: DatabaseEventKind
        let table: SQLName
        let watched: [Watched]
    }

    private static let maximumFound = 32
    /// A cache of the regions that each kind of change may modify, valid for `foundVersion`.
    private var found: [Found] = []
    private var foundVersion = 0

    init(freeReaders: @escaping @Sendable () -> Int = { 0 }) { self.freeReaders = freeReaders }

    /// The observation counts, or `nil` if no value has been observed.
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

    /// Installs the transaction observer.
    ///
    /// Members that are already joining are notified, and fetch their values again if they have
    /// missed commits.
    ///
    /// - Precondition: The caller holds the writer.
    func install(on db: Database) {
        // No other thread can install the observer, because the caller holds the writer.
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
        // Members that joined during the installation treated this access as a write, but the
        // access has not started a statement.
        if !isOpen { state.withLock { $0.uncertain = [:] } }
    }

    /// Starts to notify a member of changes in a region, from a state that a reader showed.
    ///
    /// This method does not wait. If the hub does not yet observe the writer, the hub acquires the
    /// writer once, when the writer is free, for all members that have joined by then. The hub
    /// holds no connection in the meantime.
    ///
    /// - Parameters:
    ///   - region: The region that the value depends on.
    ///   - member: The observed value.
    ///   - state: The committed state that the value shows, or an earlier state.
    ///   - database: The database of this state.
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
            confirm(member, in: database)
            member.didJoin(region, isCurrent: database.isInLastCommittedState(state))
        } else if isFirst {
            database.whenWriterIsFree { [self] in install(on: $0) }
        }
    }

    /// Changes the region for which a member is notified.
    ///
    /// - Parameters:
    ///   - region: The region that the value now depends on.
    ///   - member: The observed value.
    ///   - database: The database that may be writing concurrently, or `nil` if the caller holds
    ///     the writer.
    func watch(
        _ region: DatabaseRegion,
        for member: any ObservedMember,
        of database: (any ObservedDatabase)? = nil
    ) {
        state.withLock { state in
            Self.add(region, member, to: &state)
            if database != nil { state.uncertain[ObjectIdentifier(member)] = member }
        }
        if let database { confirm(member, in: database) }
    }

    /// Marks a member as certain unless an access may be writing.
    ///
    /// The hub already contains the member, so a statement that starts later takes the member's
    /// region into account. A statement that started earlier belongs to an access that still holds
    /// the writer, or that released the writer after the hub counted the commit.
    private func confirm(_ member: any ObservedMember, in database: any ObservedDatabase) {
        guard !database.mayBeWriting else { return }
        state.withLock { $0.uncertain[ObjectIdentifier(member)] = nil }
    }

    func unwatch(_ member: any ObservedMember) {
        state.withLock { state in
            Self.remove(ObjectIdentifier(member), from: &state)
            // Keep the last entry, because an empty list means that the writer has not been
            // requested.
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

    /// Returns the regions that changes of a kind may modify.
    ///
    /// The method caches the result, because the same statements run repeatedly.
    private func groups(concernedBy kind: DatabaseEventKind) -> Found {
        let version = state.withLock { $0.version }
        if version == foundVersion, let known = found.first(where: { $0.kind == kind }) {
            return known
        }
        let (groups, current) = state.withLock { ($0.groups.map(\.watched), $0.version) }
        if current != foundVersion || found.count >= Self.maximumFound { found = [] }
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
        // Once a transaction has changed all regions, later changes have no effect.
        if isAllTouched { return }
        // A statement on a virtual table changes shadow tables that SQLite does not report in
        // advance.
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
        clearTransaction()
        let (listeners, immediate, isUnused) = state.withLock { state in
            var changed = state.uncertain
            var listeners =
                changed.isEmpty ? [:] : changed.filter { $0.value.wantsChanges }
            for group in state.groups where touched.contains(where: { $0 === group.watched }) {
                if !group.listeners.isEmpty {
                    listeners.merge(group.listeners) { member, _ in member }
                }
                if changed.count + group.members.count <= Self.maximumFetchesPerCommit {
                    changed.merge(group.members) { member, _ in member }
                } else if !state.touched.contains(where: { $0 === group.watched }) {
                    state.touched.append(group.watched)
                }
            }
            if !state.uncertain.isEmpty { state.uncertain = [:] }
            var immediate: [any ObservedMember] = []
            for (identity, member) in changed {
                if member.usesReaders {
                    state.waiting[identity] = member
                } else {
                    immediate.append(member)
                }
            }
            let isUnused = state.groups.isEmpty && state.joining.isEmpty
            if isUnused { state.isInstalled = false }
            return (listeners, immediate, isUnused)
        }
        for member in listeners.values { member.databaseDidChange() }
        fetchSoon(immediate.filter { !$0.fetch(afterCommitOn: db) })
        if isUnused { db.remove(transactionObserver: self) }
    }

    func databaseDidRollback(_ db: Database) { clearTransaction() }

    private func clearTransaction() {
        if !concerned.isEmpty { concerned = [:] }
        if !touched.isEmpty { touched = [] }
        isAllTouched = false
    }
}
