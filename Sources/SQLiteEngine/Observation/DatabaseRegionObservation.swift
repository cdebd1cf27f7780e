import Telemetry

/// An observation that reports each transaction that changes a region of a database.
///
/// ```swift
/// let observation = DatabaseRegionObservation(tracking: DatabaseRegion.fullDatabase)
/// let cancellable = observation.start(in: pool) { error in
///     print(error)
/// } onChange: { db in
///     changed(db)  // The next write waits until this closure returns.
/// }
/// ```
///
/// The observation reports every transaction separately, on the connection that committed it. It
/// does not report transactions of other processes; see ``Database/notifyChanges(in:)``.
public struct DatabaseRegionObservation: Sendable {
    private let regions: [any DatabaseRegionConvertible]

    /// Creates an observation of the given regions.
    public init(tracking regions: any DatabaseRegionConvertible...) {
        self.regions = regions
    }

    /// Creates an observation of the given regions.
    public init(tracking regions: [any DatabaseRegionConvertible]) {
        self.regions = regions
    }

    /// Starts the observation.
    ///
    /// This method waits for the writer, unless the current thread is already inside a write
    /// access. The observation reports every transaction that ends after this method returns.
    ///
    /// - Parameters:
    ///   - writer: The database to observe. The observation reports only this writer's
    ///     transactions.
    ///   - onError: A closure to call if a region cannot be determined when the observation
    ///     starts. While a changed schema has no such region, for example because a view is
    ///     missing, the observation reports the changes of the whole database.
    ///   - onChange: A closure to call on the writer after each commit that changed one of the
    ///     regions.
    /// - Returns: A cancellable that ends the observation when it is canceled or deallocated.
    public func start(
        in writer: any DatabaseWriter,
        onError: @escaping @Sendable (any Error) -> Void,
        onChange: @escaping @Sendable (Database) -> Void
    ) -> AnyDatabaseCancellable {
        let observer = RegionObserver(regions, onChange: onChange)
        writer.unsafeReentrantWrite { db in
            do {
                guard try observer.begin(on: db) else { return }
                db.add(transactionObserver: observer, extent: .observerLifetime)
            } catch {
                onError(error)
            }
        }
        // The cancellable retains the observer.
        return AnyDatabaseCancellable { observer.end() }
    }
}

/// `@unchecked Sendable`: only the access that holds the writer uses `isTouched` and `database`, and
/// a lock protects all other state.
private final class RegionObserver: TransactionObserver, @unchecked Sendable {
    private struct State {
        var region = DatabaseRegion()
        /// The state of the schema when the region was determined.
        var schemaEpoch = 0
        var onChange: (@Sendable (Database) -> Void)?
    }

    private let regions: [any DatabaseRegionConvertible]
    private let state: Lock<State>
    private var isTouched = false
    private weak var database: Database?

    init(
        _ regions: [any DatabaseRegionConvertible],
        onChange: @escaping @Sendable (Database) -> Void
    ) {
        self.regions = regions
        state = Lock(State(onChange: onChange))
    }

    /// Determines the region.
    ///
    /// - Returns: `false` if the observation has already ended.
    /// - Throws: The error of a region that cannot be determined.
    func begin(on db: Database) throws -> Bool {
        database = db
        setRegion(try currentRegion(db), db)
        return state.withLock { $0.onChange != nil }
    }

    private func currentRegion(_ db: Database) throws -> DatabaseRegion {
        let region = try regions.reduce(into: DatabaseRegion()) {
            $0.formUnion(try $1.databaseRegion(db))
        }
        return try region.observableRegion(db)
    }

    private func setRegion(_ region: DatabaseRegion, _ db: Database) {
        state.withLock { state in
            state.region = region
            state.schemaEpoch = db.schemaEpoch
        }
    }

    func end() { state.withLock { $0.onChange = nil } }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
        // A change of the schema, such as another definition of a view, can change the region.
        if let database, state.withLock({ $0.schemaEpoch != database.schemaEpoch }) {
            setRegion((try? currentRegion(database)) ?? .fullDatabase, database)
        }
        return state.withLock { state in
            state.onChange != nil && state.region.isModified(byEventsOfKind: eventKind)
        }
    }

    func databaseDidChange() { touch() }

    func databaseDidChange(with event: DatabaseEvent) {
        if state.withLock({ $0.region.isModified(by: event) }) { touch() }
    }

    private func touch() {
        isTouched = true
        stopObservingDatabaseChangesUntilNextTransaction()
    }

    func databaseDidCommit(_ db: Database) {
        guard isTouched else { return }
        isTouched = false
        state.withLock { $0.onChange }?(db)
    }

    func databaseDidRollback(_ db: Database) { isTouched = false }
}
