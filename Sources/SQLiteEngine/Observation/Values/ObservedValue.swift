import Synchronization
import Telemetry

#if canImport(Darwin)
import Dispatch
#else
// Elsewhere `DispatchQueue` does not say that it is Sendable; it is.
@preconcurrency import Dispatch
#endif

/// One observation that was started: fetches, follows the commits, and tells.
///
/// At most one fetch runs and one more is remembered. What was fetched is reduced on a serial
/// queue of its own, so that it holds no connection, and told in that order.
///
/// `@unchecked Sendable`: `reducer` is used on `reducing` alone; all else is constant or locked.
final class ObservedValue<Reducer: ValueReducer>: ObservedMember, @unchecked Sendable {
    /// What a fetch gave.
    private struct Fetched {
        let value: Reducer.Fetcher.Value
        /// What the value depends on; nil where that is known already.
        let region: DatabaseRegion?
        /// The committed state that was read, or an earlier one.
        let state: CommittedState?
    }

    private struct State {
        var isFetching = true
        /// Whether the last fetch on the writer took little time.
        var isCheap = true
        var mustFetchAgain = false
        var isOver = false
        /// Kept open while it is observed.
        var reader: (any DatabaseReader)?
        var database: (any ObservedDatabase)?
    }

    private let observation: ValueObservation<Reducer>
    private let scheduler: any ValueObservationScheduler
    private let onError: @Sendable (any Error) -> Void
    private let onChange: @Sendable (Reducer.Value) -> Void
    private let fetcher: Reducer.Fetcher
    private var reducer: Reducer
    private let reducing = DispatchQueue(label: "SQLiteEngine.observation", qos: .userInitiated)
    private let hub: ObservationHub?
    /// Whether values are fetched beside the writer.
    private let usesReaders: Bool
    private let state: Lock<State>
    private let region = Lock<DatabaseRegion?>(nil)
    /// What a fetch may take of the processor so that a commit waits for the next one, in
    /// nanoseconds.
    private static var cheapFetch: UInt64 { 1_000_000 }
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

    /// Fetches the first value, and begins to follow the commits.
    func start() {
        if scheduler.immediateInitialValue() { startNow() } else { startLater() }
    }

    private func startNow() {
        do {
            guard let (reader, database) = sources else { return }
            let value: Reducer.Value?
            if let database, !usesReaders {
                let fetched = try database.writeWithoutTransaction(at: Self.site) { db throws in
                    let fetched = try fetchOnWriter(db)
                    follow(fetched, on: db)
                    return fetched
                }
                value = try reducing.sync { try reducer._value(fetched.value) }
            } else {
                let fetched = try reader.read(at: Self.site) { try fetch($0) }
                value = try reducing.sync { try reducer._value(fetched.value) }
                join(after: fetched, isTold: true)
            }
            // Before it is told: who is told may write, and shall be told of each commit.
            goOn()
            if let value { onChange(value) }
        } catch {
            guard end() else { return }
            observation.events.didFail?(error)
            onError(error)
        }
    }

    private func startLater() {
        guard let (reader, database) = sources else { return }
        if let database, !usesReaders {
            database.asyncWriteWithoutTransaction(at: Self.site) { [self] db in
                complete(Result { try fetchOnWriter(db) }) { follow($0, on: db) }
            }
        } else {
            reader.asyncRead(at: Self.site) { [self] db in
                complete(Result { try fetch(db.get()) }) { join(after: $0) }
            }
        }
    }

    /// Follows the commits from the state that was just fetched on the writer.
    private func follow(_ fetched: Fetched, on db: Database) {
        guard let hub, let region = fetched.region, isGoingOn else { return }
        hub.install(on: db)
        track(region) { hub.watch(region, for: self) }
    }

    /// Follows the commits from the state that a reader showed.
    ///
    /// What was committed between is fetched again. The reader is not held meanwhile.
    ///
    /// - Parameters:
    ///   - fetched: What the reader gave.
    ///   - isTold: Whether the first value is told before it is known what it depends on: if the
    ///     value has to be fetched again, the region is told then.
    private func join(after fetched: Fetched, isTold: Bool = false) {
        guard let hub, let region = fetched.region, let database = sources?.database else { return }
        let state = fetched.state
        if !isTold { track(region) {} }
        database.asyncWriteWithoutTransaction(at: Self.site) { [self] db in
            guard isGoingOn, !db.isStandIn else { return }
            hub.install(on: db)
            hub.watch(self.region.withLock { $0 } ?? region, for: self)
            // Cancelled meanwhile, perhaps just before it was watched.
            guard isGoingOn else { return hub.unwatch(self) }
            if db.isInLastCommittedState(state) {
                if isNew(region) { track(region) {} }
            } else {
                databaseDidChange()
                refetch()
            }
        }
    }

    /// Notes what the value depends on.
    private func track(_ region: DatabaseRegion, _ watch: () -> Void) {
        self.region.withLock { $0 = region }
        observation.events.willTrackRegion?(region)
        watch()
    }

    // MARK: Further values

    func databaseDidChange() { observation.events.databaseDidChange?() }

    func refetch() {
        let mustStart = state.withLock { state in
            if state.isOver { return false }
            if state.isFetching {
                if state.mustFetchAgain {
                    hub?.counts.add(.coalesced)
                }
                state.mustFetchAgain = true
                return false
            }
            state.isFetching = true
            return true
        }
        if mustStart { startFetch() }
    }

    private func startFetch() {
        guard let (reader, database) = sources else { return }
        if let database, !usesReaders {
            database.asyncWriteWithoutTransaction(at: Self.site) { [self] db in
                let start = threadNanoseconds()
                let result = Result { try fetchOnWriter(db) }
                let isCheap = threadNanoseconds() &- start < Self.cheapFetch
                state.withLock { $0.isCheap = isCheap }
                complete(result) { followAnew($0) }
            }
            return
        }
        // Before the reader takes its state: what comes later may not be in it.
        let commits = hub?.commits.load(ordering: .sequentiallyConsistent)
        reader.asyncRead(at: Self.site) { [self] db in
            complete(Result { try fetch(db.get()) }) { fetched in
                guard let hub, let database, let region = fetched.region, isNew(region)
                else { return }
                track(region) {
                    hub.watch(region, for: self, isUncertain: database.isWriterTaken)
                }
                if hub.commits.load(ordering: .sequentiallyConsistent) != commits { refetch() }
            }
        }
    }

    /// Follows the commits of another region, after a fetch on the writer has shown one.
    private func followAnew(_ fetched: Fetched) {
        guard let hub, let region = fetched.region, isNew(region) else { return }
        track(region) { hub.watch(region, for: self) }
    }

    private func isNew(_ region: DatabaseRegion) -> Bool {
        self.region.withLock { $0 != region }
    }

    func fetch(afterCommitOn db: Database) -> Bool {
        guard !usesReaders, !observation.requiresWriteAccess else { return false }
        let mayFetch = state.withLock { state in
            guard !state.isFetching, !state.isOver, state.isCheap else { return false }
            state.isFetching = true
            return true
        }
        guard mayFetch else { return false }
        let start = threadNanoseconds()
        let result = Result { try fetchOnWriter(db) }
        let isCheap = threadNanoseconds() &- start < Self.cheapFetch
        state.withLock { $0.isCheap = isCheap }
        if case .failure(let error as DatabaseError) = result, error.isInterruptionError {
            // Meant for the access that has just committed.
            state.withLock { $0.isFetching = false }
            return false
        }
        complete(result) { followAnew($0) }
        return true
    }

    /// Ends a fetch: hands its value on, follows, and begins the one that is remembered.
    private func complete(_ result: Result<Fetched, any Error>, then: (Fetched) -> Void) {
        switch result {
        case .success(let fetched):
            guard isGoingOn else { return }
            then(fetched)
            let value = Fetchable(value: fetched.value)
            reducing.async { self.reduce(value.value) }
            goOn()
        case .failure(let error):
            reducing.async { self.fail(error) }
        }
    }

    private func goOn() {
        let mustStart = state.withLock { state in
            guard !state.isOver, state.mustFetchAgain else {
                state.isFetching = false
                return false
            }
            state.mustFetchAgain = false
            return true
        }
        if mustStart { startFetch() }
    }

    // MARK: Fetching

    /// Fetches on a connection that also writes: outside of any transaction, in one of its own.
    private func fetchOnWriter(_ db: Database) throws -> Fetched {
        if observation.requiresWriteAccess { return try db.withWriteTransaction { try fetch($0) } }
        return try db.readOnly { try db.withReadTransaction { try fetch($0) } }
    }

    private func fetch(_ db: Database) throws -> Fetched {
        if let hub {
            hub.counts.add(usesReaders ? .onReaders : .onWriter)
        }
        let state = db.committedState
        if hub == nil { return Fetched(value: try fetcher.fetch(db), region: nil, state: state) }
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

    // MARK: Telling

    /// Called on `reducing`.
    private func reduce(_ fetched: Reducer.Fetcher.Value) {
        guard isGoingOn else { return }
        do {
            guard let value = try reducer._value(fetched) else {
                hub?.counts.add(.duplicates)
                return
            }
            scheduler.schedule { [self] in
                if isGoingOn { onChange(value) }
            }
        } catch {
            fail(error)
        }
    }

    /// Called on `reducing`, so that the error follows the values that came before it.
    private func fail(_ error: any Error) {
        scheduler.schedule { [self] in
            guard end() else { return }
            observation.events.didFail?(error)
            onError(error)
        }
    }

    /// Ends it at somebody's wish.
    func cancel() {
        if end() { observation.events.didCancel?() }
    }

    /// Tells nothing any more, and lets the database go; returns whether it was going on.
    private func end() -> Bool {
        let (wasGoingOn, released) = state.withLock { state in
            defer {
                state.isOver = true
                state.reader = nil
                state.database = nil
            }
            // Let go outside of the lock: this may close the database.
            return (!state.isOver, (state.reader, state.database))
        }
        hub?.unwatch(self)
        withExtendedLifetime(released) {}
        return wasGoingOn
    }

    private var isGoingOn: Bool { state.withLock { !$0.isOver } }

    private var sources: (reader: any DatabaseReader, database: (any ObservedDatabase)?)? {
        state.withLock { state in state.reader.map { ($0, state.database) } }
    }
}

/// Carries what was fetched to the queue that reduces it.
///
/// `@unchecked Sendable`: whoever made it does not use it again.
private struct Fetchable<Value>: @unchecked Sendable {
    let value: Value
}
