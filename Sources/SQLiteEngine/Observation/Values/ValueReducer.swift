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
