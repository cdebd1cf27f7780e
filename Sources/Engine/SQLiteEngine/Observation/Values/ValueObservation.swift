import Dispatch
import Telemetry

/// An observation that delivers a value from a database, initially and whenever the value may have
/// changed.
///
/// ```swift
/// let observation = ValueObservation.tracking { db in try Player.fetchAll(db) }
/// let cancellable = observation.start(in: pool) { error in
///     print(error)
/// } onChange: { players in
///     show(players)
/// }
/// ```
///
/// Values arrive in the order of the commits that they reflect. One value may represent several
/// commits, because at most one more fetch is pending while a fetch runs. The observation delivers
/// no value after a cancellation or an error.
///
/// On a pool, readers fetch the values, and no commit waits for a fetch. Fetching the first value
/// takes as long as a read, even during a write that lasts several minutes. The observation holds
/// no reader while it waits for the writer.
///
/// A queue has only one connection. If a queue has only a few observations with quick fetches, it
/// delivers a value for every commit, unless the committing access has an open cursor.
///
/// An observation does not detect changes by other connections and processes; see
/// ``Database/notifyChanges(in:)``.
public struct ValueObservation<Reducer: _ValueReducer>: Sendable {
    /// Whether each fetch runs in a write transaction and may therefore write.
    public var requiresWriteAccess = false

    /// The callbacks, in the order in which they were added.
    var events: [ValueObservationEvents]
    let trackingMode: ValueObservationTrackingMode
    let makeReducer: @Sendable () -> Reducer

    init(
        events: [ValueObservationEvents] = [],
        requiresWriteAccess: Bool = false,
        trackingMode: ValueObservationTrackingMode,
        makeReducer: @escaping @Sendable () -> Reducer
    ) {
        self.events = events
        self.requiresWriteAccess = requiresWriteAccess
        self.trackingMode = trackingMode
        self.makeReducer = makeReducer
    }

    /// Returns the same observation with transformed values.
    ///
    /// - Parameters:
    ///   - willFetch: A closure to call before each fetch.
    ///   - makeTransform: A closure that returns the transformation for one started instance. The
    ///     transformation returns `nil` to skip a value.
    /// - Returns: An observation that delivers the transformed values.
    func transformed<Value>(
        willFetch: (@Sendable () -> Void)? = nil,
        _ makeTransform: @escaping @Sendable () -> (Reducer.Value) throws -> Value?
    ) -> ValueObservation<ValueReducers.Map<Reducer, Value>> where Reducer: ValueReducer {
        ValueObservation<ValueReducers.Map<Reducer, Value>>(
            events: events,
            requiresWriteAccess: requiresWriteAccess,
            trackingMode: trackingMode
        ) { [makeReducer] in
            var base = makeReducer()
            let fetcher = base._makeFetcher()
            let transform = makeTransform()
            return ValueReducers.Closures { db in
                willFetch?()
                return try fetcher.fetch(db)
            } transform: { fetched in
                try base._value(fetched).flatMap(transform)
            }
        }
    }
}

enum ValueObservationTrackingMode: Sendable {
    /// The user specifies the region.
    case constantRegion([any DatabaseRegionConvertible])
    /// The region contains everything that the first fetch reads.
    case constantRegionRecordedFromSelection
    /// The region contains everything that the latest fetch read.
    case nonConstantRegionRecordedFromSelection

    /// Whether the region depends only on the schema.
    var isConstant: Bool {
        if case .nonConstantRegionRecordedFromSelection = self { false } else { true }
    }
}

/// The callbacks of an observation, except the callbacks for values.
struct ValueObservationEvents: Sendable {
    var willStart: (@Sendable () -> Void)?
    var willTrackRegion: (@Sendable (DatabaseRegion) -> Void)?
    var databaseDidChange: (@Sendable () -> Void)?
    var didFail: (@Sendable (any Error) -> Void)?
    var didCancel: (@Sendable () -> Void)?
}

// MARK: - Creating an observation

extension ValueObservation {
    /// Observes a closure's result, and fetches again when anything that the last fetch read may
    /// have changed.
    public static func tracking<Value: Sendable>(
        _ fetch: @escaping @Sendable (Database) throws -> Value
    ) -> Self where Reducer == ValueReducers.Fetch<Value> {
        Self(trackingMode: .nonConstantRegionRecordedFromSelection) { .init(fetch) }
    }

    /// Observes the result of a closure that always reads the same tables, columns, and rows.
    public static func trackingConstantRegion<Value: Sendable>(
        _ fetch: @escaping @Sendable (Database) throws -> Value
    ) -> Self where Reducer == ValueReducers.Fetch<Value> {
        Self(trackingMode: .constantRegionRecordedFromSelection) { .init(fetch) }
    }

    /// Observes a closure's result, and fetches again only when one of the given regions has
    /// changed.
    public static func tracking<Value: Sendable>(
        region: any DatabaseRegionConvertible,
        _ otherRegions: any DatabaseRegionConvertible...,
        fetch: @escaping @Sendable (Database) throws -> Value
    ) -> Self where Reducer == ValueReducers.Fetch<Value> {
        tracking(regions: [region] + otherRegions, fetch: fetch)
    }

    /// Observes a closure's result, and fetches again only when one of the given regions has
    /// changed.
    public static func tracking<Value: Sendable>(
        regions: [any DatabaseRegionConvertible],
        fetch: @escaping @Sendable (Database) throws -> Value
    ) -> Self where Reducer == ValueReducers.Fetch<Value> {
        Self(trackingMode: .constantRegion(regions)) { .init(fetch) }
    }
}

// MARK: - Transforming values

extension ValueObservation where Reducer: ValueReducer {
    /// Transforms each value with a closure that runs without a connection.
    public func map<T: Sendable>(
        _ transform: @escaping @Sendable (Reducer.Value) throws -> T
    ) -> ValueObservation<ValueReducers.Map<Reducer, T>> {
        transformed { { try transform($0) } }
    }

    /// Skips values that are equal to the previous value according to a predicate.
    public func removeDuplicates(
        by predicate: sending @escaping (Reducer.Value, Reducer.Value) -> Bool
    ) -> ValueObservation<ValueReducers.RemoveDuplicates<Reducer>> {
        // All started instances of the observation share the predicate.
        let predicate = Lock(predicate)
        return transformed {
            var last: Reducer.Value?
            return { value in
                if let last, predicate.withLock({ $0(last, value) }) { return nil }
                last = value
                return value
            }
        }
    }

    /// Calls closures for the events of the observation.
    ///
    /// - Parameters:
    ///   - willStart: A closure to call when the observation starts.
    ///   - willFetch: A closure to call before each fetch, on the thread of the fetch.
    ///   - willTrackRegion: A closure to call when the value's region becomes known or changes.
    ///   - databaseDidChange: A closure to call on the writer after a commit that may have changed
    ///     the value.
    ///   - didReceiveValue: A closure to call with each value before its delivery.
    ///   - didFail: A closure to call with the error that ends the observation.
    ///   - didCancel: A closure to call when the observation is canceled.
    /// - Returns: An observation that also calls the closures.
    public func handleEvents(
        willStart: (@Sendable () -> Void)? = nil,
        willFetch: (@Sendable () -> Void)? = nil,
        willTrackRegion: (@Sendable (DatabaseRegion) -> Void)? = nil,
        databaseDidChange: (@Sendable () -> Void)? = nil,
        didReceiveValue: (@Sendable (Reducer.Value) -> Void)? = nil,
        didFail: (@Sendable (any Error) -> Void)? = nil,
        didCancel: (@Sendable () -> Void)? = nil
    ) -> ValueObservation<ValueReducers.Trace<Reducer>> {
        var observation = transformed(willFetch: willFetch) {
            { value in
                didReceiveValue?(value)
                return value
            }
        }
        observation.events.append(
            ValueObservationEvents(
                willStart: willStart,
                willTrackRegion: willTrackRegion,
                databaseDidChange: databaseDidChange,
                didFail: didFail,
                didCancel: didCancel
            )
        )
        return observation
    }

    /// Prints the events of the observation.
    ///
    /// - Parameters:
    ///   - prefix: The text to print before each line, followed by a colon.
    ///   - stream: The stream to print to. Defaults to standard output.
    /// - Returns: An observation that also prints its events.
    public func print(
        _ prefix: String = "",
        to stream: sending (any TextOutputStream)? = nil
    ) -> ValueObservation<ValueReducers.Trace<Reducer>> {
        let prefix = prefix.isEmpty ? "" : prefix + ": "
        let stream = Lock(stream)
        @Sendable func print(_ line: String) {
            stream.withLock { stream in
                guard stream != nil else { return Swift.print(prefix + line) }
                stream?.write(prefix + line)
            }
        }
        return handleEvents(
            willStart: { print("start") },
            willFetch: { print("fetch") },
            willTrackRegion: { print("tracked region: \($0)") },
            databaseDidChange: { print("database did change") },
            didReceiveValue: { print("value: \($0)") },
            didFail: { print("failure: \($0)") },
            didCancel: { print("cancel") }
        )
    }
}

extension ValueObservation where Reducer: ValueReducer, Reducer.Value: Equatable {
    /// Skips values that equal the previous value.
    public func removeDuplicates() -> ValueObservation<ValueReducers.RemoveDuplicates<Reducer>> {
        removeDuplicates(by: ==)
    }
}

/// A type that fetches the value that an observation needs, on any connection.
public protocol _ValueReducerFetcher: Sendable {
    /// The type of the fetched value.
    associatedtype Value

    /// Fetches the value.
    func fetch(_ db: Database) throws -> Value
}

/// A type that converts fetched values to the values that an observation delivers.
public protocol _ValueReducer: SendableMetatype {
    /// The type of the fetcher.
    associatedtype Fetcher: _ValueReducerFetcher
    /// The type of the values that the observation delivers.
    associatedtype Value

    /// Returns the fetcher.
    func _makeFetcher() -> Fetcher

    /// Returns the value to deliver for a fetched value, or `nil` to deliver no value.
    ///
    /// The first call always returns a value.
    mutating func _value(_ fetched: Fetcher.Value) throws -> Value?
}

/// A `_ValueReducer` that delivers `Sendable` values.
public protocol ValueReducer: _ValueReducer where Value: Sendable {}

/// A reducer that may deliver fetched values unchanged, without running a closure.
protocol PlainReducer {
    var isPlain: Bool { get }
}

/// The reducers that implement the methods of ``ValueObservation``.
public enum ValueReducers {
    /// A reducer that fetches a value with one closure and transforms the value with a second one.
    public struct Closures<Fetched, Value: Sendable>: ValueReducer, PlainReducer {
        /// A fetcher that calls a closure.
        public struct Fetcher: _ValueReducerFetcher {
            let closure: @Sendable (Database) throws -> Fetched

            /// Calls the closure.
            public func fetch(_ db: Database) throws -> Fetched { try closure(db) }
        }

        let fetch: @Sendable (Database) throws -> Fetched
        var isPlain = false
        let transform: (Fetched) throws -> Value?

        init(
            fetch: @escaping @Sendable (Database) throws -> Fetched,
            transform: @escaping (Fetched) throws -> Value?
        ) {
            self.fetch = fetch
            self.transform = transform
        }

        init(_ fetch: @escaping @Sendable (Database) throws -> Value) where Fetched == Value {
            self.init(fetch: fetch) { $0 }
            isPlain = true
        }

        /// Returns the fetcher.
        public func _makeFetcher() -> Fetcher { Fetcher(closure: fetch) }

        /// Returns the transformed value, or `nil` to deliver no value.
        public mutating func _value(_ fetched: Fetched) throws -> Value? { try transform(fetched) }
    }

    /// A reducer that delivers the result of a closure.
    public typealias Fetch<Value: Sendable> = Closures<Value, Value>

    /// A reducer that delivers another reducer's values after a closure has transformed them.
    public typealias Map<Base: ValueReducer, Value: Sendable> = Closures<Base.Fetcher.Value, Value>

    /// A reducer that skips duplicates of the previous value.
    public typealias RemoveDuplicates<Base: ValueReducer> = Map<Base, Base.Value>

    /// A reducer that reports fetches and values to callbacks.
    public typealias Trace<Base: ValueReducer> = Map<Base, Base.Value>
}

extension ValueObservation where Reducer: ValueReducer {
    /// Starts the observation.
    ///
    /// - Parameters:
    ///   - reader: The database to fetch values from. The observation retains it until the
    ///     observation ends. A snapshot or a read-only database delivers one value.
    ///   - scheduler: The scheduler that delivers values.
    ///   - onError: A closure to call with the error that ends the observation.
    ///   - onChange: A closure to call with each value.
    /// - Returns: A cancellable that ends the observation when it is canceled or deallocated.
    @preconcurrency
    public func start(
        in reader: any DatabaseReader,
        scheduling scheduler: some ValueObservationScheduler,
        onError: @escaping @Sendable (any Error) -> Void,
        onChange: @escaping @Sendable (Reducer.Value) -> Void
    ) -> AnyDatabaseCancellable {
        for events in events { events.willStart?() }
        let observed = ObservedValue(
            self,
            in: reader,
            scheduling: scheduler,
            onError: onError,
            onChange: onChange
        )
        observed.start()
        return AnyDatabaseCancellable { observed.cancel() }
    }

    /// Starts the observation, and delivers values on the main actor.
    ///
    /// - Parameters:
    ///   - reader: The database to fetch values from. The observation retains it until the
    ///     observation ends.
    ///   - scheduler: The scheduler, which delivers the first value immediately or later.
    ///   - onError: A closure to call with the error that ends the observation.
    ///   - onChange: A closure to call with each value.
    /// - Returns: A cancellable that ends the observation when it is canceled or deallocated.
    @preconcurrency @MainActor
    public func start(
        in reader: any DatabaseReader,
        scheduling scheduler: some ValueObservationMainActorScheduler = .mainActor,
        onError: @escaping @MainActor @Sendable (any Error) -> Void,
        onChange: @escaping @MainActor @Sendable (Reducer.Value) -> Void
    ) -> AnyDatabaseCancellable {
        let anyScheduler: some ValueObservationScheduler = scheduler
        return start(
            in: reader,
            scheduling: anyScheduler,
            onError: { error in MainActor.assumeIsolated { onError(error) } },
            onChange: { value in MainActor.assumeIsolated { onChange(value) } }
        )
    }

    /// Returns the values as an asynchronous sequence.
    ///
    /// Each loop over the sequence starts a new observation.
    ///
    /// - Parameters:
    ///   - reader: The database to fetch values from.
    ///   - scheduler: The scheduler that passes values to the sequence. Defaults to a task.
    ///   - bufferingPolicy: The policy for buffering values that the loop has not consumed yet.
    /// - Returns: A sequence of the values, which throws the error that ends the observation, if
    ///   any.
    public func values(
        in reader: any DatabaseReader,
        scheduling scheduler: some ValueObservationScheduler = .task,
        bufferingPolicy: AsyncValueObservation<Reducer.Value>.BufferingPolicy = .unbounded
    ) -> AsyncValueObservation<Reducer.Value> {
        AsyncValueObservation(bufferingPolicy: bufferingPolicy) { onError, onChange in
            start(in: reader, scheduling: scheduler, onError: onError, onChange: onChange)
        }
    }

    /// Returns an observation that many clients share.
    ///
    /// - Parameters:
    ///   - reader: The database to fetch values from.
    ///   - scheduler: The scheduler that delivers values.
    ///   - extent: The lifetime of the shared observation.
    /// - Returns: The shared observation, which starts with its first client.
    public func shared(
        in reader: any DatabaseReader,
        scheduling scheduler: some ValueObservationScheduler = .async(onQueue: .main),
        extent: SharedValueObservationExtent = .whileObserved
    ) -> SharedValueObservation<Reducer.Value> {
        SharedValueObservation(scheduling: scheduler, extent: extent) { onError, onChange in
            start(in: reader, scheduling: scheduler, onError: onError, onChange: onChange)
        }
    }
}

typealias ObservationStart<Value> =
    @Sendable (
        _ onError: @escaping @Sendable (any Error) -> Void,
        _ onChange: @escaping @Sendable (Value) -> Void
    ) -> AnyDatabaseCancellable
