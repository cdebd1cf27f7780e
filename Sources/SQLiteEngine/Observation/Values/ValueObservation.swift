import Telemetry

/// Tells a value that is fetched from a database, now and whenever it may have changed.
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
/// Values come in the order of the commits that they show. Several commits may be told as one
/// value: while one fetch runs, at most one more is remembered. After a cancellation, and after an
/// error, nothing is told any more.
///
/// On a pool values are fetched by readers, and no commit waits for one: the first value is there
/// in the time of a read, also while somebody writes for minutes. No reader is held while the
/// observation waits for the writer. A queue, which has one connection, tells every commit to a few
/// observations whose fetches are quick, unless the access that commits has a cursor open. Changes
/// that other connections and processes make are not seen; see ``Database/notifyChanges(in:)``.
public struct ValueObservation<Reducer: _ValueReducer>: Sendable {
    /// Whether the value is fetched with a connection that may write, inside a savepoint.
    public var requiresWriteAccess = false

    var events = ValueObservationEvents()
    let trackingMode: ValueObservationTrackingMode
    let makeReducer: @Sendable () -> Reducer

    init(
        events: ValueObservationEvents = ValueObservationEvents(),
        requiresWriteAccess: Bool = false,
        trackingMode: ValueObservationTrackingMode,
        makeReducer: @escaping @Sendable () -> Reducer
    ) {
        self.events = events
        self.requiresWriteAccess = requiresWriteAccess
        self.trackingMode = trackingMode
        self.makeReducer = makeReducer
    }

    /// The same observation, with another reducer around its own.
    func wrapping<Outer: _ValueReducer>(
        _ wrap: @escaping @Sendable (Reducer) -> Outer
    ) -> ValueObservation<Outer> {
        ValueObservation<Outer>(
            events: events,
            requiresWriteAccess: requiresWriteAccess,
            trackingMode: trackingMode,
            makeReducer: { [makeReducer] in wrap(makeReducer()) }
        )
    }
}

/// How the region that a value depends on is found.
enum ValueObservationTrackingMode: Sendable {
    /// It is named.
    case constantRegion([any DatabaseRegionConvertible])
    /// It is what the first fetch reads.
    case constantRegionRecordedFromSelection
    /// It is what the last fetch read.
    case nonConstantRegionRecordedFromSelection
}

/// What is told of an observation beside its values.
struct ValueObservationEvents: Sendable {
    var willStart: (@Sendable () -> Void)?
    var willTrackRegion: (@Sendable (DatabaseRegion) -> Void)?
    var databaseDidChange: (@Sendable () -> Void)?
    var didFail: (@Sendable (any Error) -> Void)?
    var didCancel: (@Sendable () -> Void)?

    /// Tells both, these first.
    func followed(by other: ValueObservationEvents) -> ValueObservationEvents {
        ValueObservationEvents(
            willStart: Self.both(willStart, other.willStart),
            willTrackRegion: Self.both(willTrackRegion, other.willTrackRegion),
            databaseDidChange: Self.both(databaseDidChange, other.databaseDidChange),
            didFail: Self.both(didFail, other.didFail),
            didCancel: Self.both(didCancel, other.didCancel)
        )
    }

    private static func both(
        _ first: (@Sendable () -> Void)?,
        _ second: (@Sendable () -> Void)?
    ) -> (@Sendable () -> Void)? {
        guard let first, let second else { return first ?? second }
        return {
            first()
            second()
        }
    }

    private static func both<T>(
        _ first: (@Sendable (T) -> Void)?,
        _ second: (@Sendable (T) -> Void)?
    ) -> (@Sendable (T) -> Void)? {
        guard let first, let second else { return first ?? second }
        return {
            first($0)
            second($0)
        }
    }
}

// MARK: - What is observed

extension ValueObservation {
    /// Tells what a closure fetches, whenever something changed that its last run has read.
    public static func tracking<Value: Sendable>(
        _ fetch: @escaping @Sendable (Database) throws -> Value
    ) -> Self where Reducer == ValueReducers.Fetch<Value> {
        Self(trackingMode: .nonConstantRegionRecordedFromSelection) { .init(fetch) }
    }

    /// Tells what a closure fetches that reads the same tables, columns and rows each time.
    public static func trackingConstantRegion<Value: Sendable>(
        _ fetch: @escaping @Sendable (Database) throws -> Value
    ) -> Self where Reducer == ValueReducers.Fetch<Value> {
        Self(trackingMode: .constantRegionRecordedFromSelection) { .init(fetch) }
    }

    /// Tells what a closure fetches, whenever one of some regions changed, and only then.
    public static func tracking<Value: Sendable>(
        region: any DatabaseRegionConvertible,
        _ otherRegions: any DatabaseRegionConvertible...,
        fetch: @escaping @Sendable (Database) throws -> Value
    ) -> Self where Reducer == ValueReducers.Fetch<Value> {
        tracking(regions: [region] + otherRegions, fetch: fetch)
    }

    /// Tells what a closure fetches, whenever one of some regions changed, and only then.
    public static func tracking<Value: Sendable>(
        regions: [any DatabaseRegionConvertible],
        fetch: @escaping @Sendable (Database) throws -> Value
    ) -> Self where Reducer == ValueReducers.Fetch<Value> {
        Self(trackingMode: .constantRegion(regions)) { .init(fetch) }
    }
}

// MARK: - What becomes of the values

extension ValueObservation where Reducer: ValueReducer {
    /// Tells what a closure makes of each value; it runs apart from connections.
    public func map<T: Sendable>(
        _ transform: @escaping @Sendable (Reducer.Value) throws -> T
    ) -> ValueObservation<ValueReducers.Map<Reducer, T>> {
        wrapping { ValueReducers.Map($0, transform) }
    }

    /// Tells only values that differ from the one before, as `predicate` (true for equal ones)
    /// says.
    public func removeDuplicates(
        by predicate: sending @escaping (Reducer.Value, Reducer.Value) -> Bool
    ) -> ValueObservation<ValueReducers.RemoveDuplicates<Reducer>> {
        let predicate = DuplicateTest(predicate)
        return wrapping { ValueReducers.RemoveDuplicates($0, predicate.callAsFunction) }
    }

    /// Tells closures what the observation does, for debugging.
    ///
    /// - Parameters:
    ///   - willStart: Called when it is started.
    ///   - willFetch: Called before each fetch, where the value is fetched.
    ///   - willTrackRegion: Called when it is known what the value depends on, and when that
    ///     changed.
    ///   - databaseDidChange: Called on the writer after a commit that may have changed the value.
    ///   - didReceiveValue: Called with each value, before it is told.
    ///   - didFail: Called with the error that ends it.
    ///   - didCancel: Called when it is cancelled.
    /// - Returns: The same observation, which tells them.
    public func handleEvents(
        willStart: (@Sendable () -> Void)? = nil,
        willFetch: (@Sendable () -> Void)? = nil,
        willTrackRegion: (@Sendable (DatabaseRegion) -> Void)? = nil,
        databaseDidChange: (@Sendable () -> Void)? = nil,
        didReceiveValue: (@Sendable (Reducer.Value) -> Void)? = nil,
        didFail: (@Sendable (any Error) -> Void)? = nil,
        didCancel: (@Sendable () -> Void)? = nil
    ) -> ValueObservation<ValueReducers.Trace<Reducer>> {
        var observation = wrapping {
            ValueReducers.Trace(
                $0,
                willFetch: willFetch ?? {},
                didReceiveValue: didReceiveValue ?? { _ in }
            )
        }
        observation.events = events.followed(
            by: ValueObservationEvents(
                willStart: willStart,
                willTrackRegion: willTrackRegion,
                databaseDidChange: databaseDidChange,
                didFail: didFail,
                didCancel: didCancel
            )
        )
        return observation
    }

    /// Prints what the observation does, for debugging.
    ///
    /// - Parameters:
    ///   - prefix: Stands before each line, with a colon.
    ///   - stream: Receives the lines; standard output by default.
    /// - Returns: The same observation, which prints.
    public func print(
        _ prefix: String = "",
        to stream: sending (any TextOutputStream)? = nil
    ) -> ValueObservation<ValueReducers.Trace<Reducer>> {
        let printer = ObservationPrinter(prefix: prefix, stream: stream)
        return handleEvents(
            willStart: { printer.print("start") },
            willFetch: { printer.print("fetch") },
            willTrackRegion: { printer.print("tracked region: \($0)") },
            databaseDidChange: { printer.print("database did change") },
            didReceiveValue: { printer.print("value: \($0)") },
            didFail: { printer.print("failure: \($0)") },
            didCancel: { printer.print("cancel") }
        )
    }
}

extension ValueObservation where Reducer: ValueReducer, Reducer.Value: Equatable {
    /// Tells only values that differ from the one before.
    public func removeDuplicates() -> ValueObservation<ValueReducers.RemoveDuplicates<Reducer>> {
        wrapping { ValueReducers.RemoveDuplicates($0, ==) }
    }
}

/// A test for duplicates that all starts of an observation share.
///
/// `@unchecked Sendable`: the closure was sent here, and is called under the lock alone.
private final class DuplicateTest<Value>: @unchecked Sendable {
    private let predicate: (Value, Value) -> Bool
    private let lock = Lock(())

    init(_ predicate: sending @escaping (Value, Value) -> Bool) { self.predicate = predicate }

    func callAsFunction(_ one: Value, _ other: Value) -> Bool {
        lock.withLock { _ in predicate(one, other) }
    }
}

/// Prints lines from any thread.
///
/// `@unchecked Sendable`: the stream was sent here, and is used under the lock alone.
private final class ObservationPrinter: @unchecked Sendable {
    private let prefix: String
    private var stream: (any TextOutputStream)?
    private let lock = Lock(())

    init(prefix: String, stream: sending (any TextOutputStream)?) {
        self.prefix = prefix.isEmpty ? "" : prefix + ": "
        self.stream = stream
    }

    func print(_ line: String) {
        lock.withLock { _ in
            guard stream != nil else { return Swift.print(prefix + line) }
            stream?.write(prefix + line)
        }
    }
}
