import CSQLite
import Telemetry

#if canImport(Darwin)
import Dispatch
#else
// Outside Darwin, `DispatchQueue` is thread-safe but not declared as `Sendable`.
@preconcurrency import Dispatch
#endif

/// A started observation, which fetches the value, observes commits, and delivers values.
///
/// At most one fetch runs, and at most one more is pending. One thread at a time reduces and
/// delivers the fetched values, in order and without holding a connection.
///
/// `@unchecked Sendable`: only the thread that received `true` from ``beginDelivery()`` uses
/// `reducer`. Before the first value, only the thread that starts the observation uses `reducer`.
/// All other state is constant or protected by a lock.
final class ObservedValue<Reducer: ValueReducer>: ObservedMember, @unchecked Sendable {
    private struct Fetched {
        let value: Reducer.Fetcher.Value
        /// The region that the value depends on, or `nil` if the region is already known.
        let region: DatabaseRegion?
        let state: CommittedState?
    }

    private struct State {
        var isFetching = true
        var isCheap = true
        var mustFetchAgain = false
        var isOver = false
        /// The duration of the last fetch, in nanoseconds.
        var lastFetch: UInt64 = 0
        /// The number of counted commits that the last fetch is known to show.
        var shown: UInt64?
        var reader: (any DatabaseReader)?
        var database: (any ObservedDatabase)?
    }

    /// The fetched values that have not been delivered yet, oldest first.
    struct Inbox {
        var fetched: [Result<Carried<Reducer.Fetcher.Value>, any Error>] = []
        var isDelivering = false
        /// The duration of the last delivery, in nanoseconds.
        var lastDelivery: UInt64 = 0
    }

    let observation: ValueObservation<Reducer>
    let scheduler: any ValueObservationScheduler
    /// The queue on which the scheduler runs actions, if it is a ``QueueScheduler``.
    let queue: DispatchQueue?
    let runsClosuresOnDelivery: Bool
    let onError: @Sendable (any Error) -> Void
    let onChange: @Sendable (Reducer.Value) -> Void
    private let fetcher: Reducer.Fetcher
    var reducer: Reducer
    let hub: ObservationHub?
    let usesReaders: Bool
    private let state: Lock<State>
    let inbox = Lock(Inbox())
    private let region = Lock<DatabaseRegion?>(nil)
    private static var site: AccessSite { AccessSite(AccessLabel("ValueObservation")) }

    init(
        _ observation: ValueObservation<Reducer>,
        in reader: any DatabaseReader,
        scheduling scheduler: any ValueObservationScheduler,
        onError: @escaping @Sendable (any Error) -> Void,
        onChange: @escaping @Sendable (Reducer.Value) -> Void
    ) {
        self.observation = observation
        self.scheduler = scheduler
        queue = (scheduler as? any QueueScheduler)?.queue
        runsClosuresOnDelivery = queue == nil || !(Reducer.self is any PlainReducer.Type)
        self.onError = onError
        self.onChange = onChange
        reducer = observation.makeReducer()
        fetcher = reducer._makeFetcher()
        let database = reader.observedDatabase
        hub = database?.observationHub
        usesReaders =
            database.map { $0.hasReaders && !observation.requiresWriteAccess } ?? true
        var state = State()
        state.reader = reader
        state.database = database
        self.state = Lock(state)
    }

    // MARK: The first value

    func start() {
        if scheduler.immediateInitialValue() { startNow() } else { startLater() }
    }

    private func startNow() {
        do {
            guard let (reader, database) = sources else { return }
            let value: Reducer.Value?
            // No other fetch starts before this fetch ends.
            if let database, !usesReaders {
                let fetched = try database.writeWithoutTransaction(at: Self.site) { db throws in
                    let fetched = try fetchOnWriter(db)
                    follow(fetched, on: db)
                    return fetched
                }
                value = try reduceFirst(fetched.value)
            } else {
                let fetched = try reader.read(at: Self.site) { try fetch($0) }
                value = try reduceFirst(fetched.value)
                join(after: fetched, isDelivered: true)
            }
            // End the fetch before the delivery, because the receiver may write, and the
            // observation must include each of its commits.
            finishFetch()
            if let value { onChange(value) }
        } catch {
            guard end() else { return }
            observation.events.didFail?(error)
            onError(error)
        }
    }

    /// Reduces the first value and records the duration.
    ///
    /// Later deliveries share a thread only if they are quick.
    private func reduceFirst(_ fetched: Reducer.Fetcher.Value) throws -> Reducer.Value? {
        let begin = monotonicNanoseconds()
        defer {
            let took = monotonicNanoseconds() - begin
            inbox.withLock { $0.lastDelivery = took }
        }
        return try reducer._value(fetched)
    }

    private func startLater() {
        guard let (reader, database) = sources else { return }
        if let database, !usesReaders {
            database.asyncWriteWithoutTransaction(at: Self.site) { [self] db in
                complete(Result { try fetchOnWriter(db) }) { follow($0, on: db) }
                FetchRound.deliver([self])
                finishFetch()
            }
        } else {
            reader.asyncRead(at: Self.site) { [self] db in
                complete(Result { try fetch(db.get()) }) { join(after: $0) }
                FetchRound.deliver([self])
                finishFetch()
            }
        }
    }

    /// Observes the commits after the state that was just fetched on the writer.
    private func follow(_ fetched: Fetched, on db: Database) {
        guard let hub, let region = fetched.region, isActive else { return }
        hub.install(on: db)
        track(region) { hub.watch(region, for: self) }
    }

    /// Observes the commits after the state that a reader showed.
    ///
    /// If commits occurred in the meantime, the observation fetches the value again. The
    /// observation does not hold the reader while it waits for the writer.
    ///
    /// - Parameters:
    ///   - fetched: The result of the reader's fetch.
    ///   - isDelivered: Whether ``didJoin(_:isCurrent:)`` or the next fetch, rather than this
    ///     method, reports the region.
    private func join(after fetched: Fetched, isDelivered: Bool = false) {
        guard let hub, let region = fetched.region, let database else { return }
        if !isDelivered { track(region) {} }
        hub.join(region, for: self, after: fetched.state, of: database)
        // Remove the observation if it was canceled just before the hub added it.
        if !isActive { hub.unwatch(self) }
    }

    func didJoin(_ region: DatabaseRegion, isCurrent: Bool) {
        guard isActive else { return }
        if isCurrent {
            if isNew(region) { track(region) {} }
        } else {
            databaseDidChange()
            hub?.fetchSoon([self])
        }
    }

    private func track(_ region: DatabaseRegion, _ watch: () -> Void) {
        self.region.withLock { $0 = region }
        observation.events.willTrackRegion?(region)
        watch()
        // Remove the observation if it was canceled just before the hub added it.
        if !isActive { hub?.unwatch(self) }
    }

    // MARK: Later values

    var wantsChanges: Bool { observation.events.databaseDidChange != nil }

    func databaseDidChange() { observation.events.databaseDidChange?() }

    var isQuick: Bool {
        let quick = hub?.quickFetch.load(ordering: .relaxed) ?? 0
        return state.withLock { $0.lastFetch < quick }
    }

    func beginFetch() -> Bool {
        state.withLock { state in
            if state.isOver { return false }
            guard state.isFetching else {
                // The last fetch already shows the commit that requested this fetch.
                if isAllShown(state) { return false }
                state.isFetching = true
                return true
            }
            if state.mustFetchAgain { hub?.counts.add(.coalesced) }
            state.mustFetchAgain = true
            return false
        }
    }

    func fetch(_ db: Result<Database, any Error>, after commits: UInt64) {
        guard isActive else { return }
        if usesReaders {
            complete(Result { try fetch(db.get()) }, showing: commits) { fetched in
                guard let hub, let database, let region = fetched.region, isNew(region)
                else { return }
                track(region) { hub.watch(region, for: self, of: database) }
                if hub.commits.load(ordering: .sequentiallyConsistent) != commits {
                    hub.fetchSoon([self])
                }
            }
        } else {
            complete(Result { try fetchOnWriterMeasured(try db.get()) }, showing: commits) {
                followNewRegion($0)
            }
        }
    }

    func fetch(afterCommitOn db: Database) -> Bool {
        // Ending the fetch's transaction would reset the access's open cursor to its first row. An
        // observer may also have started another transaction.
        guard !usesReaders, !observation.requiresWriteAccess, !db.isInsideTransaction,
            sqlite3_txn_state(db.handle, nil) == SQLITE_TXN_NONE
        else { return false }
        let mayFetch = state.withLock { state in
            guard !state.isFetching, !state.isOver, state.isCheap else { return false }
            state.isFetching = true
            return true
        }
        guard mayFetch else { return false }
        let result = Result { try fetchOnWriterMeasured(db) }
        if case .failure(let error as DatabaseError) = result, error.isInterruptionError {
            // The interrupt was for the access that has just committed.
            _ = endFetch()
            return false
        }
        complete(result, showing: hub?.commits.load(ordering: .sequentiallyConsistent)) {
            followNewRegion($0)
        }
        FetchRound.deliver([self])
        finishFetch()
        return true
    }

    /// Observes commits in a new region that a fetch on the writer has found.
    private func followNewRegion(_ fetched: Fetched) {
        guard let hub, let region = fetched.region, isNew(region) else { return }
        track(region) { hub.watch(region, for: self) }
    }

    private func isNew(_ region: DatabaseRegion) -> Bool {
        self.region.withLock { $0 != region }
    }

    /// Queues a fetch result for delivery.
    ///
    /// - Parameters:
    ///   - result: The result of the fetch.
    ///   - commits: The number of commits that the value is known to show, as counted by the hub.
    ///   - then: A closure to run before a successful result is queued.
    private func complete(
        _ result: Result<Fetched, any Error>,
        showing commits: UInt64? = nil,
        then: (Fetched) -> Void
    ) {
        switch result {
        case .success(let fetched):
            guard isActive else { return }
            state.withLock { $0.shown = commits }
            then(fetched)
            let value = Carried(value: fetched.value)
            inbox.withLock { $0.fetched.append(.success(value)) }
        case .failure(let error):
            inbox.withLock { $0.fetched.append(.failure(error)) }
        }
    }

    func endFetch() -> Bool {
        state.withLock { state in
            defer {
                state.isFetching = false
                state.mustFetchAgain = false
            }
            return state.mustFetchAgain && !state.isOver && !isAllShown(state)
        }
    }

    /// Returns whether the last fetch shows all commits counted so far.
    ///
    /// If so, the requested fetch is unnecessary, and this method counts it as coalesced.
    private func isAllShown(_ state: State) -> Bool {
        guard let hub, hub.commits.load(ordering: .sequentiallyConsistent) == state.shown
        else { return false }
        hub.counts.add(.coalesced)
        return true
    }

    /// Ends a fetch that was not part of a round, and starts the next fetch if one was requested.
    private func finishFetch() {
        if endFetch() { hub?.fetchSoon([self]) }
    }

    // MARK: Fetching

    /// Fetches in a new transaction on a connection that also writes.
    ///
    /// - Precondition: No transaction is open.
    private func fetchOnWriter(_ db: Database) throws -> Fetched {
        if observation.requiresWriteAccess { return try db.withWriteTransaction { try fetch($0) } }
        return try db.readOnly { try db.withReadTransaction { try fetch($0) } }
    }

    private func fetchOnWriterMeasured(_ db: Database) throws -> Fetched {
        let begin = threadNanoseconds()
        let cheap = hub?.cheapFetch.load(ordering: .relaxed) ?? 0
        defer {
            let isCheap = threadNanoseconds() &- begin < cheap
            state.withLock { $0.isCheap = isCheap }
        }
        return try fetchOnWriter(db)
    }

    private func fetch(_ db: Database) throws -> Fetched {
        let state = db.committedState
        guard let hub else {
            return Fetched(value: try fetcher.fetch(db), region: nil, state: state)
        }
        hub.counts.add(usesReaders ? .onReaders : .onWriter)
        let begin = monotonicNanoseconds()
        defer {
            let end = monotonicNanoseconds()
            self.state.withLock { $0.lastFetch = end - begin }
        }
        var region: DatabaseRegion?
        let value: Reducer.Fetcher.Value
        let isKnown = self.region.withLock { $0 != nil }
        switch observation.trackingMode {
        case .constantRegion(let regions):
            if isKnown { return Fetched(value: try fetcher.fetch(db), region: nil, state: state) }
            region = try regions.reduce(into: DatabaseRegion()) {
                $0.formUnion(try $1.databaseRegion(db))
            }
            value = try fetcher.fetch(db)
        case .constantRegionRecordedFromSelection where isKnown:
            value = try fetcher.fetch(db)
        case .constantRegionRecordedFromSelection, .nonConstantRegionRecordedFromSelection:
            var selected = DatabaseRegion()
            value = try db.recordingSelection(&selected) { try fetcher.fetch(db) }
            region = selected
        }
        return Fetched(value: value, region: try region?.observableRegion(db), state: state)
    }

    // MARK: The end

    func cancel() {
        if end() { observation.events.didCancel?() }
    }

    /// Ends the observation and releases the database.
    ///
    /// - Returns: Whether the observation was active.
    func end() -> Bool {
        let (wasActive, released) = state.withLock { state in
            defer {
                state.isOver = true
                state.reader = nil
                state.database = nil
            }
            // Release the objects outside the lock, because releasing them may close the database.
            return (!state.isOver, (state.reader, state.database))
        }
        hub?.unwatch(self)
        withExtendedLifetime(released) {}
        return wasActive
    }

    var isActive: Bool { state.withLock { !$0.isOver } }

    var database: (any ObservedDatabase)? { state.withLock { $0.database } }

    private var sources: (reader: any DatabaseReader, database: (any ObservedDatabase)?)? {
        state.withLock { state in state.reader.map { ($0, state.database) } }
    }
}
