import Dispatch
import Synchronization
import Telemetry

/// An object that notifies all observed values of a database when its writer commits.
///
/// All values share one transaction observer. A commit adds the regions that it changed to a
/// ``CommitLog`` and starts the fetcher if it is inactive. The fetcher marks the values of these
/// regions in a ``DirtySet`` and fetches them. In a database without readers, the commit itself
/// fetches a few quick values.
///
/// `@unchecked Sendable`: only the access that holds the writer uses the variables. All other state
/// is constant or protected by a lock.
final class ObservationHub: TransactionObserver, @unchecked Sendable {
    struct Watched: Sendable {
        let group: Int
        let region: DatabaseRegion
    }

    struct State {
        var dirty = DirtySet<Observed>()
        /// The members that need an immediate notification of each commit.
        var listeners: Set<Observed> = []
        /// The database of the members, which retain it.
        weak var database: (any ObservedDatabase)?
        var isInstalled = false
        /// The members that wait for the installation, with the state that each member's value
        /// reflects.
        var joiningMembers: [JoiningMember] = []
    }

    struct JoiningMember {
        let member: any ObservedMember
        let region: DatabaseRegion
        let state: CommittedState?
    }

    /// The maximum number of values that a commit itself fetches in a database without readers.
    ///
    /// Each commit fetches a few values. Fetching many values would delay the next write, so a
    /// later fetch handles them and may represent several commits.
    private static let maximumFetchesPerCommit = 8

    let hasReaders: Bool
    let freeReaders: @Sendable () -> Int
    /// The value of ``EngineTimings/cheapFetch``, which tests can override.
    let cheapFetch = Atomic<UInt64>(EngineTimings.cheapFetch)
    /// The value of ``EngineTimings/quickFetch``, which tests can override.
    let quickFetch = Atomic<UInt64>(EngineTimings.quickFetch)
    /// The value of ``EngineTimings/longestRound``, which tests can override.
    let longestRound = Atomic<UInt64>(EngineTimings.longestRound)
    /// The value of ``EngineTimings/fetcherIdleTimeout``, which tests can override.
    let fetcherIdleTimeout = Atomic<UInt64>(EngineTimings.fetcherIdleTimeout)
    let counts = ObservationCounts()

    let state = Lock(State())
    /// The state that a commit changes.
    ///
    /// A thread that holds the lock of `state` may acquire this lock, but not the reverse.
    let fetcher = Lock(Fetcher())
    /// The parker on which the fetcher's thread sleeps between rounds.
    let parker = Parker()
    /// The regions that the open transaction may change, by table.
    private var watchedByTable: [SQLName: [Watched]] = [:]
    private var touched: [Int] = []
    /// Whether the open transaction has changed all regions that it may change.
    private var isAllTouched = false

    private struct CachedKind {
        let kind: DatabaseEventKind
        let table: SQLName
        let watched: [Watched]
    }

    private static let kindCacheCapacity = 32
    /// A cache of the regions that each kind of change may modify, valid for `kindCacheVersion`.
    private var kindCache: [CachedKind] = []
    private var kindCacheVersion = 0

    /// Creates a hub.
    ///
    /// - Parameter freeReaders: A closure that returns the number of free readers, or `nil` if the
    ///   database has no readers.
    init(freeReaders: (@Sendable () -> Int)? = nil) {
        hasReaders = freeReaders != nil
        self.freeReaders = freeReaders ?? { 0 }
    }

    /// The number of the writer's commits while the hub was installed.
    var commits: UInt64 { fetcher.withLock { $0.log.commits } }

    /// Applies all commits to the state, changes the state, and starts the fetcher if values are
    /// marked and the fetcher is inactive.
    ///
    /// The caller may hold the writer, so this method fetches nothing on the caller's thread.
    func update<Value>(_ change: (inout State) -> Value) -> Value {
        let (value, queue): (Value, DispatchQueue?) = state.withLock { state in
            let (changes, count) = fetcher.withLock { $0.log.take() }
            state.dirty.commit(changes, count: count)
            let value = change(&state)
            let isImmediate =
                !hasReaders || state.dirty.count == 0 || state.dirty.uncertainCount > 0
                || !state.listeners.isEmpty
            // A commit that precedes the new value of `isImmediate` may affect a member that this
            // change made uncertain.
            let (newChanges, newCount) = fetcher.withLock { fetcher in
                fetcher.log.version = state.dirty.version
                fetcher.log.isImmediate = isImmediate
                return fetcher.log.take()
            }
            state.dirty.commit(newChanges, count: newCount)
            return (value, state.dirty.hasWork ? fetcher.withLock { $0.activate() } : nil)
        }
        queue?.async { self.runRound() }
        return value
    }

    /// The observation counts, or `nil` if no value has been observed.
    var status: ObservationStatus? {
        let (active, coalesced) = state.withLock { ($0.dirty.count, $0.dirty.coalesced) }
        let onReaders = counts.onReaders.load(ordering: .relaxed)
        let onWriter = counts.onWriter.load(ordering: .relaxed)
        guard active > 0 || onReaders > 0 || onWriter > 0 else { return nil }
        return ObservationStatus(
            active: active,
            fetchesOnReaders: onReaders,
            fetchesOnWriter: onWriter,
            coalesced: coalesced,
            duplicates: counts.duplicates.load(ordering: .relaxed)
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
        let joiningMembers = update { state in
            state.isInstalled = true
            defer { state.joiningMembers = [] }
            for joining in state.joiningMembers where isOpen {
                state.dirty.makeUncertain(Observed(joining.member))
            }
            return state.joiningMembers
        }
        for joining in joiningMembers {
            joining.member.didJoin(
                joining.region,
                isCurrent: db.isInLastCommittedState(joining.state)
            )
        }
        // Members that joined during the installation treated this access as a write, but the
        // access has not started a statement.
        if !isOpen { update { $0.dirty.confirmAll() } }
    }

    /// Starts notifying a member of changes in a region after a state that a reader has read.
    ///
    /// This method does not wait. If the hub does not yet observe the writer, the hub acquires the
    /// writer once, when the writer is free, for all members that have joined by then. The hub
    /// holds no connection in the meantime.
    ///
    /// - Parameters:
    ///   - region: The region that the value depends on.
    ///   - member: The observed value.
    ///   - state: The committed state that the value reflects, or an earlier state.
    ///   - database: The database of this state.
    func join(
        _ region: DatabaseRegion,
        for member: any ObservedMember,
        after state: CommittedState?,
        of database: any ObservedDatabase
    ) {
        let (isInstalled, isFirst) = update { hub in
            hub.add(member, region: region, of: database, isUncertain: hub.isInstalled)
            if hub.isInstalled { return (true, false) }
            hub.joiningMembers.append(JoiningMember(member: member, region: region, state: state))
            return (false, hub.joiningMembers.count == 1)
        }
        if isInstalled {
            confirm(member, in: database)
            member.didJoin(region, isCurrent: database.isInLastCommittedState(state))
        } else if isFirst {
            database.performWhenWriterIsFree { [self] in install(on: $0) }
        }
    }

    /// Changes the region for which a member is notified.
    ///
    /// - Parameters:
    ///   - region: The region that the value now depends on.
    ///   - member: The observed value.
    ///   - database: The database.
    ///   - mayBeWriting: Whether an access may be writing concurrently.
    func watch(
        _ region: DatabaseRegion,
        for member: any ObservedMember,
        of database: any ObservedDatabase,
        mayBeWriting: Bool
    ) {
        update { $0.add(member, region: region, of: database, isUncertain: mayBeWriting) }
        if mayBeWriting { confirm(member, in: database) }
    }

    /// Marks a member as certain unless an access may be writing.
    ///
    /// The hub already contains the member, so a statement that starts later takes the member's
    /// region into account. A statement that started earlier belongs to an access that still holds
    /// the writer, or that released the writer after the hub counted the commit.
    private func confirm(_ member: any ObservedMember, in database: any ObservedDatabase) {
        guard !database.mayBeWriting else { return }
        update { $0.dirty.confirm(Observed(member)) }
    }

    func unwatch(_ member: any ObservedMember) {
        update { state in
            state.dirty.remove(Observed(member))
            state.listeners.remove(Observed(member))
            // Keep the last entry, because an empty list means that the writer has not been
            // requested.
            guard state.joiningMembers.count > 1 else { return }
            state.joiningMembers.removeAll { $0.member === member }
        }
    }

    // MARK: Transactions

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
        let concerned = groups(concernedBy: eventKind)
        for watched in concerned.watched
        where watchedByTable[concerned.table]?.contains(where: { $0.group == watched.group })
            != true
        {
            watchedByTable[concerned.table, default: []].append(watched)
            isAllTouched = false
        }
        return !concerned.watched.isEmpty
    }

    /// Returns the regions that changes of a kind may modify.
    ///
    /// The method caches the result, because the same statements run repeatedly.
    private func groups(concernedBy kind: DatabaseEventKind) -> CachedKind {
        let version = fetcher.withLock { $0.log.version }
        if version == kindCacheVersion, let known = kindCache.first(where: { $0.kind == kind }) {
            return known
        }
        let (groups, current) = state.withLock { ($0.dirty.groups, $0.dirty.version) }
        if current != kindCacheVersion || kindCache.count >= Self.kindCacheCapacity {
            kindCache = []
        }
        kindCacheVersion = current
        let new = CachedKind(
            kind: kind,
            table: SQLName(kind.tableName),
            watched: groups.filter { $0.value.region.isModified(byEventsOfKind: kind) }
                .map { Watched(group: $0.key, region: $0.value.region) }
        )
        kindCache.append(new)
        return new
    }

    func databaseDidChange() {
        for watched in watchedByTable.values.joined() { touch(watched) }
    }

    func databaseDidChange(with event: DatabaseEvent) {
        // Once a transaction has changed all regions, later changes have no effect.
        if isAllTouched { return }
        // A statement on a virtual table changes shadow tables that SQLite does not report in
        // advance.
        let candidates =
            watchedByTable[SQLName(event.tableName)] ?? Array(watchedByTable.values.joined())
        for watched in candidates where watched.region.isModified(by: event) { touch(watched) }
    }

    private func touch(_ watched: Watched) {
        if touched.contains(watched.group) { return }
        touched.append(watched.group)
        isAllTouched = watchedByTable.values.joined().allSatisfy { touched.contains($0.group) }
    }

    func databaseDidCommit(_ db: Database) {
        let touched = touched
        clearTransaction()
        let (isImmediate, queue): (Bool, DispatchQueue?) = fetcher.withLock { fetcher in
            if fetcher.log.isImmediate { return (true, nil) }
            fetcher.log.append(touched)
            return (false, fetcher.log.changes.isEmpty ? nil : fetcher.activate())
        }
        if isImmediate { didCommit(touched, on: db) }
        queue?.async { self.runRound() }
    }

    /// Counts a commit that marks values immediately.
    ///
    /// This method notifies listeners, and fetches a few values in a database without readers.
    private func didCommit(_ touched: [Int], on db: Database) {
        let (listeners, marked, isUnused) = state.withLock { state in
            let listeners =
                state.listeners.isEmpty
                ? [] : state.dirty.members(changedIn: touched).intersection(state.listeners)
            let (changes, count) = fetcher.withLock { fetcher in
                fetcher.log.append(touched)
                return fetcher.log.take()
            }
            let limit = hasReaders ? 0 : Self.maximumFetchesPerCommit
            let marked = state.dirty.commit(changes, count: count, limit: limit)
            let isUnused = state.dirty.count == 0 && state.joiningMembers.isEmpty
            if isUnused { state.isInstalled = false }
            return (listeners, marked, isUnused)
        }
        for observed in listeners { observed.member.databaseDidChange() }
        if !hasReaders {
            for observed in marked { fetchNow(observed.member, on: db) }
        }
        update { _ in }
        if isUnused { db.remove(transactionObserver: self) }
    }

    /// Fetches a value on the writer that has just committed, if possible.
    private func fetchNow(_ member: any ObservedMember, on db: Database) {
        guard member.mayFetch(afterCommitOn: db) else { return }
        let commitsAtStart: UInt64? = state.withLock { state in
            state.dirty.beginFetch(Observed(member)) ? state.dirty.commits : nil
        }
        guard let commits = commitsAtStart else { return }
        let isFetched = member.fetch(afterCommitOn: db)
        state.withLock { state in
            if !isFetched { state.dirty.request(Observed(member)) }
            let shown = isFetched ? commits : nil
            state.dirty.endFetch(Observed(member), showing: shown, isShared: true)
        }
    }

    func databaseDidRollback(_ db: Database) { clearTransaction() }

    private func clearTransaction() {
        if !watchedByTable.isEmpty { watchedByTable = [:] }
        if !touched.isEmpty { touched = [] }
        isAllTouched = false
    }
}

extension ObservationHub.State {
    fileprivate mutating func add(
        _ member: any ObservedMember,
        region: DatabaseRegion,
        of database: any ObservedDatabase,
        isUncertain: Bool
    ) {
        self.database = database
        dirty.add(Observed(member), region, isUncertain: isUncertain)
        if member.receivesChanges { listeners.insert(Observed(member)) }
    }
}

/// The part of an observed value that its database's hub uses.
protocol ObservedMember: AnyObject, Sendable {
    var receivesChanges: Bool { get }
    /// Called on the writer after a commit that may have changed the value.
    func databaseDidChange()
    /// Called when notifications of changes in a region start.
    ///
    /// - Parameters:
    ///   - region: The region that the value depends on.
    ///   - isCurrent: Whether no transaction has committed since the first value was fetched.
    func didJoin(_ region: DatabaseRegion, isCurrent: Bool)

    var usesReaders: Bool { get }
    /// Whether the last fetch was short enough to share a connection with other fetches.
    var isQuick: Bool { get }

    /// Whether the value may be fetched immediately, on the writer that has just committed.
    func mayFetch(afterCommitOn db: Database) -> Bool
    /// Fetches the value immediately, on the writer that has just committed.
    ///
    /// - Returns: `false` if the value must be fetched later.
    func fetch(afterCommitOn db: Database) -> Bool
    /// Fetches the value.
    ///
    /// - Parameters:
    ///   - db: A reader in its transaction, the writer outside any transaction, or the error if no
    ///     connection is available.
    ///   - commits: The number of commits before the connection captured its state.
    func fetch(_ db: Result<Database, any Error>, after commits: UInt64)

    /// Starts a delivery if fetched values are pending and no thread is delivering them.
    ///
    /// - Returns: Whether the caller must deliver the values.
    func beginDelivery() -> Bool
    /// Delivers the fetched values.
    func deliver(through delivery: inout Delivery)
    /// Whether the delivery runs user closures, such as the closure of `map`.
    var runsClosuresOnDelivery: Bool { get }
    /// Ends the delivery unless more values have arrived.
    ///
    /// - Returns: Whether the delivery ended.
    func endDelivery() -> Bool
}

/// A member as an element of a set.
struct Observed: Hashable, Sendable {
    let member: any ObservedMember

    init(_ member: any ObservedMember) { self.member = member }

    static func == (a: Observed, b: Observed) -> Bool { a.member === b.member }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(member)) }
}

/// The numbers of fetches and duplicate values of a database's observations.
final class ObservationCounts: Sendable {
    /// The number of fetches on a reader.
    let onReaders = Atomic<UInt64>(0)
    /// The number of fetches on the writer.
    let onWriter = Atomic<UInt64>(0)
    /// The number of values that equaled the previous value and were not delivered.
    let duplicates = Atomic<UInt64>(0)
}
