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
/// Values arrive in the order of the commits that they show. One value may represent several
/// commits: while one fetch runs, at most one more is pending. After a cancellation or an error, no
/// value is delivered.
///
/// On a pool, readers fetch the values, and no commit waits for a fetch. Fetching the first value
/// takes as long as a read, even during a write that lasts several minutes. The observation holds
/// no reader while it waits for the writer. A queue has only one connection. If a queue has only a
/// few observations and their fetches are quick, it reports every commit to them, unless the
/// committing access has an open cursor. Changes by other connections and processes are not
/// observed; see ``Database/notifyChanges(in:)``.
public struct ValueObservation<Reducer: _ValueReducer>: Sendable {
    /// Whether the value is fetched in a write transaction, so that the fetch may write.
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

    /// Returns the same observation, with its reducer wrapped in another reducer.
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

/// The way to determine the region that a value depends on.
enum ValueObservationTrackingMode: Sendable {
    /// The caller specifies the region.
    case constantRegion([any DatabaseRegionConvertible])
    /// The region contains everything that the first fetch reads.
    case constantRegionRecordedFromSelection
    /// The region contains everything that the latest fetch read.
    case nonConstantRegionRecordedFromSelection
}

/// The callbacks of an observation, except the callbacks for its values.
struct ValueObservationEvents: Sendable {
    var willStart: (@Sendable () -> Void)?
    var willTrackRegion: (@Sendable (DatabaseRegion) -> Void)?
    var databaseDidChange: (@Sendable () -> Void)?
    var didFail: (@Sendable (any Error) -> Void)?
    var didCancel: (@Sendable () -> Void)?

    /// Returns callbacks that run these callbacks first, followed by the callbacks of `other`.
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
    /// Observes the result of a closure, and fetches it again when anything that the last fetch
    /// read has changed.
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

    /// Observes the result of a closure, and fetches it again only when one of the given regions
    /// has changed.
    public static func tracking<Value: Sendable>(
        region: any DatabaseRegionConvertible,
        _ otherRegions: any DatabaseRegionConvertible...,
        fetch: @escaping @Sendable (Database) throws -> Value
    ) -> Self where Reducer == ValueReducers.Fetch<Value> {
        tracking(regions: [region] + otherRegions, fetch: fetch)
    }

    /// Observes the result of a closure, and fetches it again only when one of the given regions
    /// has changed.
    public static func tracking<Value: Sendable>(
        regions: [any DatabaseRegionConvertible],
        fetch: @escaping @Sendable (Database) throws -> Value
    ) -> Self where Reducer == ValueReducers.Fetch<Value> {
        Self(trackingMode: .constantRegion(regions)) { .init(fetch) }
    }
}

// MARK: - Transforming values

extension ValueObservation where Reducer: ValueReducer {
    /// Transforms each value with a closure, which runs without a connection.
    public func map<T: Sendable>(
        _ transform: @escaping @Sendable (Reducer.Value) throws -> T
    ) -> ValueObservation<ValueReducers.Map<Reducer, T>> {
        wrapping { ValueReducers.Map($0, transform) }
    }

    /// Delivers only values that differ from the previous value according to a predicate.
    public func removeDuplicates(
        by predicate: sending @escaping (Reducer.Value, Reducer.Value) -> Bool
    ) -> ValueObservation<ValueReducers.RemoveDuplicates<Reducer>> {
        let predicate = DuplicateTest(predicate)
        return wrapping { ValueReducers.RemoveDuplicates($0, predicate.callAsFunction) }
    }

    /// Calls closures when the observation starts, fetches or delivers a value, or ends, for
    /// debugging.
    ///
    /// - Parameters:
    ///   - willStart: A closure that is called when the observation starts.
    ///   - willFetch: A closure that is called before each fetch, on the thread of the fetch.
    ///   - willTrackRegion: A closure that is called when the region of the value becomes known,
    ///     and when it changes.
    ///   - databaseDidChange: A closure that is called on the writer after a commit that may have
    ///     changed the value.
    ///   - didReceiveValue: A closure that is called with each value before it is delivered.
    ///   - didFail: A closure that is called with the error that ends the observation.
    ///   - didCancel: A closure that is called when the observation is canceled.
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

    /// Prints the events of the observation, for debugging.
    ///
    /// - Parameters:
    ///   - prefix: The text to print before each line, followed by a colon.
    ///   - stream: The stream that receives the lines. The default is standard output.
    /// - Returns: An observation that also prints its events.
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
    /// Delivers only values that differ from the previous value.
    public func removeDuplicates() -> ValueObservation<ValueReducers.RemoveDuplicates<Reducer>> {
        wrapping { ValueReducers.RemoveDuplicates($0, ==) }
    }
}

/// A predicate that all started instances of an observation share.
///
/// `@unchecked Sendable`: the closure was transferred to this object and is called only while the
/// lock is held.
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
/// `@unchecked Sendable`: the stream was transferred to this object and is used only while the lock
/// is held.
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
