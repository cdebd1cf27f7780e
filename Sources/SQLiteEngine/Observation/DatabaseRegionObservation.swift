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
    ///   - onError: A closure to call if a region cannot be determined.
    ///   - onChange: A closure to call on the writer after each commit that changed one of the
    ///     regions.
    /// - Returns: A cancellable that ends the observation when it is canceled or deallocated.
    public func start(
        in writer: any DatabaseWriter,
        onError: @escaping @Sendable (any Error) -> Void,
        onChange: @escaping @Sendable (Database) -> Void
    ) -> AnyDatabaseCancellable {
        let observer = RegionObserver(onChange)
        writer.unsafeReentrantWrite { db in
            do {
                let region = try regions.reduce(into: DatabaseRegion()) {
                    $0.formUnion(try $1.databaseRegion(db))
                }
                guard observer.begin(with: try region.observableRegion(db)) else { return }
                db.add(transactionObserver: observer, extent: .observerLifetime)
            } catch {
                onError(error)
            }
        }
        // The cancellable retains the observer.
        return AnyDatabaseCancellable { observer.end() }
    }
}

/// `@unchecked Sendable`: only the access that holds the writer uses `isTouched`, and a lock
/// protects all other state.
private final class RegionObserver: TransactionObserver, @unchecked Sendable {
    private struct State {
        var region = DatabaseRegion()
        var onChange: (@Sendable (Database) -> Void)?
    }

    private let state: Lock<State>
    private var isTouched = false

    init(_ onChange: @escaping @Sendable (Database) -> Void) {
        state = Lock(State(onChange: onChange))
    }

    /// Sets the region.
    ///
    /// - Returns: `false` if the observation has already ended.
    func begin(with region: DatabaseRegion) -> Bool {
        state.withLock { state in
            state.region = region
            return state.onChange != nil
        }
    }

    func end() { state.withLock { $0.onChange = nil } }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
        state.withLock { $0.onChange != nil && $0.region.isModified(byEventsOfKind: eventKind) }
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
