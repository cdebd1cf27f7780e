import CSQLite
import Dispatch
import Synchronization
import Telemetry

/// A started observation, which fetches the value, observes commits, and delivers values.
///
/// The hub's ``DirtySet`` determines when to fetch. One thread at a time reduces and delivers the
/// fetched values, in order.
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
        var isCheap = true
        var isOver = false
        /// The duration of the last fetch, in nanoseconds.
        var lastFetch: UInt64 = 0
        var reader: (any DatabaseReader)?
        var database: (any ObservedDatabase)?
    }

    /// The fetched values that have not been delivered yet, oldest first.
    struct Inbox {
        var fetched: [Result<TransferredValue<Reducer.Fetcher.Value>, any Error>] = []
        var isDelivering = false
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
    /// The schema version when a constant region was determined.
    private let regionVersion = Lock<Int?>(nil)
    private static var site: AccessSite { ObservationHub.site }

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
        self.onError = onError
        self.onChange = onChange
        reducer = observation.makeReducer()
        runsClosuresOnDelivery = queue == nil || (reducer as? any PlainReducer)?.isPlain != true
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
            // Another thread may fetch the next value while this thread delivers the first one.
            inbox.withLock { $0.isDelivering = true }
            let value: Reducer.Value?
            // No other fetch starts before this fetch ends.
            if let database, !usesReaders {
                // The caller may be inside an access of this database, possibly in a transaction
                // whose changes the first value then includes.
                let fetched = try database.unsafeReentrantWrite(at: Self.site) { db throws in
                    let fetched = try fetchOnWriter(db)
                    follow(fetched, on: db)
                    fetchAgain(ifChangesAreUndoneOn: db)
                    return fetched
                }
                value = try reducer._value(fetched.value)
            } else {
                // Inside a read of this database, the fetch must use the same connection.
                let isReading =
                    database.map {
                        ThreadState.current.pointee.access(through: $0.readers) != nil
                    } ?? false
                let fetched =
                    try isReading
                    ? reader.unsafeReentrantRead(at: Self.site) { try fetchOnReader($0) }
                    : reader.read(at: Self.site) { try fetch($0) }
                value = try reducer._value(fetched.value)
                join(after: fetched, reportsRegionLater: true)
            }
            // End the fetch before the delivery, because the receiver may write, and the
            // observation must include each of its commits.
            hub?.endFetch(self, showing: nil)
            if let value { onChange(value) }
            let hasMore = inbox.withLock { inbox in
                inbox.isDelivering = false
                return !inbox.fetched.isEmpty
            }
            if hasMore { Delivery.deliver([self]) }
        } catch {
            guard end() else { return }
            for events in observation.events { events.didFail?(error) }
            onError(error)
        }
    }

    /// Fetches the value again if it includes uncommitted changes that are then rolled back.
    private func fetchAgain(ifChangesAreUndoneOn db: Database) {
        guard !db.isReadOnly, sqlite3_txn_state(db.handle, nil) == SQLITE_TXN_WRITE else { return }
        // A commit may follow a rollback to a savepoint.
        let hasSavepoints = !db.savepoints.isEmpty
        db.afterNextTransaction { [weak self] _ in
            if hasSavepoints { self?.requestFetch() }
        } onRollback: { [weak self] _ in
            self?.requestFetch()
        }
    }

    private func requestFetch() {
        guard isActive else { return }
        hub?.request(self)
    }

    private func startLater() {
        guard let (reader, database) = sources else { return }
        if let database, !usesReaders {
            database.asyncWriteWithoutTransaction(at: Self.site) { [self] db in
                complete(Result { try fetchOnWriter(db) }) { follow($0, on: db) }
                Delivery.deliver([self])
                hub?.endFetch(self, showing: nil)
            }
        } else {
            reader.asyncRead(at: Self.site) { [self] db in
                complete(Result { try fetch(db.get()) }) { join(after: $0) }
                Delivery.deliver([self])
                hub?.endFetch(self, showing: nil)
            }
        }
    }

    /// Observes the commits after the state that was just fetched on the writer.
    private func follow(_ fetched: Fetched, on db: Database) {
        guard let hub, let region = fetched.region, isActive else { return }
        hub.install(on: db)
        track(region) { watch(region) }
    }

    private func watch(_ region: DatabaseRegion, mayBeWriting: Bool = false) {
        guard let database else { return }
        hub?.watch(region, for: self, of: database, mayBeWriting: mayBeWriting)
    }

    /// Observes the commits after the state that a reader has read.
    ///
    /// If commits occurred in the meantime, the observation fetches the value again. The
    /// observation does not hold the reader while it waits for the writer.
    ///
    /// - Parameters:
    ///   - fetched: The result of the reader's fetch.
    ///   - reportsRegionLater: Whether ``didJoin(_:isCurrent:)`` or the next fetch, rather than
    ///     this method, reports the region.
    private func join(after fetched: Fetched, reportsRegionLater: Bool = false) {
        guard let hub, let region = fetched.region, let database else { return }
        if !reportsRegionLater { track(region) {} }
        hub.join(region, for: self, after: fetched.state, of: database)
        // Removes the observation if it was canceled just before the hub added it.
        if !isActive { hub.unwatch(self) }
    }

    func didJoin(_ region: DatabaseRegion, isCurrent: Bool) {
        guard isActive else { return }
        if isCurrent {
            if isNew(region) { track(region) {} }
        } else {
            databaseDidChange()
            hub?.request(self)
        }
    }

    private func track(_ region: DatabaseRegion, _ watch: () -> Void) {
        self.region.withLock { $0 = region }
        for events in observation.events { events.willTrackRegion?(region) }
        watch()
        // Removes the observation if it was canceled just before the hub added it.
        if !isActive { hub?.unwatch(self) }
    }

    // MARK: Later values

    var receivesChanges: Bool { observation.events.contains { $0.databaseDidChange != nil } }

    func databaseDidChange() {
        for events in observation.events { events.databaseDidChange?() }
    }

    var isQuick: Bool {
        let quick = hub?.quickFetch.load(ordering: .relaxed) ?? 0
        return state.withLock { $0.lastFetch < quick }
    }

    func fetch(_ db: Result<Database, any Error>, after commits: UInt64) {
        guard isActive else { return }
        if usesReaders {
            complete(Result { try fetch(db.get()) }) { fetched in
                guard let hub, let region = fetched.region, isNew(region) else { return }
                track(region) { watch(region, mayBeWriting: true) }
                if hub.commits != commits { hub.request(self) }
            }
        } else {
            complete(Result { try fetchOnWriterMeasured(try db.get()) }) { followNewRegion($0) }
        }
    }

    func mayFetch(afterCommitOn db: Database) -> Bool {
        // Ending the fetch's transaction would reset the access's open cursor to its first row. An
        // observer may also have started another transaction.
        !usesReaders && !observation.requiresWriteAccess && !db.isInsideTransaction
            && sqlite3_txn_state(db.handle, nil) == SQLITE_TXN_NONE
            && state.withLock { $0.isCheap && !$0.isOver }
    }

    func fetch(afterCommitOn db: Database) -> Bool {
        let result = Result { try fetchOnWriterMeasured(db) }
        if case .failure(let error as DatabaseError) = result, error.isInterruptionError {
            // The interrupt was intended for the access that has just committed.
            return false
        }
        complete(result) { followNewRegion($0) }
        Delivery.deliver([self])
        return true
    }

    /// Observes commits in a new region that a fetch on the writer has determined.
    private func followNewRegion(_ fetched: Fetched) {
        guard let region = fetched.region, isNew(region) else { return }
        track(region) { watch(region) }
    }

    private func isNew(_ region: DatabaseRegion) -> Bool {
        self.region.withLock { $0 != region }
    }

    /// Queues a fetch result for delivery.
    ///
    /// - Parameters:
    ///   - result: The result of the fetch.
    ///   - onSuccess: A closure to run before a successful result is queued.
    private func complete(_ result: Result<Fetched, any Error>, onSuccess: (Fetched) -> Void) {
        switch result {
        case .success(let fetched):
            guard isActive else { return }
            onSuccess(fetched)
            let value = TransferredValue(value: fetched.value)
            inbox.withLock { $0.fetched.append(.success(value)) }
        case .failure(let error):
            inbox.withLock { $0.fetched.append(.failure(error)) }
        }
    }

    // MARK: Fetching

    /// Fetches in the transaction of an enclosing access, or in a new transaction.
    private func fetchOnReader(_ db: Database) throws -> Fetched {
        try mustShareTransaction(of: db) ? fetch(db) : db.withReadTransaction { try fetch($0) }
    }

    /// Returns whether a transaction is open that the fetch must not end.
    ///
    /// In autocommit mode, an unfinished statement keeps a transaction open. Ending it would reset
    /// the statement to its first row.
    private func mustShareTransaction(of db: Database) -> Bool {
        db.isInsideTransaction || sqlite3_txn_state(db.handle, nil) != SQLITE_TXN_NONE
    }

    /// Fetches on a connection that also writes, in the open transaction or in a new one.
    private func fetchOnWriter(_ db: Database) throws -> Fetched {
        if mustShareTransaction(of: db) {
            return try observation.requiresWriteAccess
                ? fetch(db) : db.readOnly { try fetch(db) }
        }
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
        if usesReaders {
            hub.counts.onReaders.wrappingAdd(1, ordering: .relaxed)
        } else {
            hub.counts.onWriter.wrappingAdd(1, ordering: .relaxed)
        }
        let begin = monotonicNanoseconds()
        defer {
            let end = monotonicNanoseconds()
            self.state.withLock { $0.lastFetch = end - begin }
        }
        var region: DatabaseRegion?
        let value: Reducer.Fetcher.Value
        // A region that is constant for the program changes with the definitions of views.
        let version: Int? =
            observation.trackingMode.isConstant ? try db.schema(of: "main").schemaVersion : nil
        let isKnown = self.region.withLock { $0 != nil } && regionVersion.withLock { $0 == version }
        switch observation.trackingMode {
        case .constantRegion(let regions) where !isKnown:
            region = try regions.reduce(into: DatabaseRegion()) {
                $0.formUnion(try $1.databaseRegion(db))
            }
            value = try fetcher.fetch(db)
        case .constantRegion,
            .constantRegionRecordedFromSelection where isKnown:
            value = try fetcher.fetch(db)
        case .constantRegionRecordedFromSelection, .nonConstantRegionRecordedFromSelection:
            var selected = DatabaseRegion()
            value = try db.recordingSelection(&selected) { try fetcher.fetch(db) }
            region = selected
        }
        if !isKnown { regionVersion.withLock { $0 = version } }
        return Fetched(value: value, region: try region?.observableRegion(db), state: state)
    }

    // MARK: The end

    func cancel() {
        guard end() else { return }
        for events in observation.events { events.didCancel?() }
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

extension ObservedValue {
    func beginDelivery() -> Bool {
        inbox.withLock { inbox in
            guard !inbox.isDelivering, !inbox.fetched.isEmpty else { return false }
            inbox.isDelivering = true
            return true
        }
    }

    func deliver(through delivery: inout Delivery) {
        let fetched = inbox.withLock { inbox in
            defer { inbox.fetched = [] }
            return inbox.fetched
        }
        for next in fetched {
            switch next {
            case .success(let fetched): reduce(fetched.value, delivery: &delivery)
            case .failure(let error): fail(error, delivery: &delivery)
            }
        }
    }

    func endDelivery() -> Bool {
        inbox.withLock { inbox in
            inbox.isDelivering = !inbox.fetched.isEmpty
            return !inbox.isDelivering
        }
    }

    private func reduce(_ fetched: Reducer.Fetcher.Value, delivery: inout Delivery) {
        guard isActive else { return }
        do {
            guard let value = try reducer._value(fetched) else {
                hub?.counts.duplicates.wrappingAdd(1, ordering: .relaxed)
                return
            }
            schedule(&delivery) { [self] in
                if isActive { onChange(value) }
            }
        } catch {
            fail(error, delivery: &delivery)
        }
    }

    /// Delivers an error after the values that preceded it.
    private func fail(_ error: any Error, delivery: inout Delivery) {
        schedule(&delivery) { [self] in
            guard end() else { return }
            for events in observation.events { events.didFail?(error) }
            onError(error)
        }
    }

    private func schedule(_ delivery: inout Delivery, _ action: @escaping @Sendable () -> Void) {
        if let queue {
            delivery.add(action, on: queue)
        } else {
            scheduler.schedule(action)
        }
    }
}

/// A fetched value that is being transferred to the thread that delivers it.
///
/// `@unchecked Sendable`: the thread that fetched the value does not use the value again.
struct TransferredValue<Value>: @unchecked Sendable {
    let value: Value
}
