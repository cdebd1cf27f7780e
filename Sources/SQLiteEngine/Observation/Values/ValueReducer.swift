/// Fetches the value that an observation needs, on any connection.
public protocol _ValueReducerFetcher: Sendable {
    /// The type of the fetched value.
    associatedtype Value

    /// Fetches the value.
    func fetch(_ db: Database) throws -> Value
}

/// Converts fetched values to the values that an observation delivers.
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

/// A reducer that delivers fetched values unchanged and runs no closure.
protocol PlainReducer {}

extension ValueReducers.Fetch: PlainReducer {}

/// The reducers that implement the methods of ``ValueObservation``.
public enum ValueReducers {}

extension ValueReducers {
    /// Delivers the result of a closure.
    public struct Fetch<Value: Sendable>: ValueReducer {
        /// Fetches a value with a closure.
        public struct Fetcher: _ValueReducerFetcher {
            let closure: @Sendable (Database) throws -> Value

            /// Calls the closure.
            public func fetch(_ db: Database) throws -> Value { try closure(db) }
        }

        private let fetcher: Fetcher

        init(_ closure: @escaping @Sendable (Database) throws -> Value) {
            fetcher = Fetcher(closure: closure)
        }

        /// Returns the fetcher.
        public func _makeFetcher() -> Fetcher { fetcher }

        /// Returns the fetched value.
        public mutating func _value(_ fetched: Value) throws -> Value? { fetched }
    }

    /// Delivers the values of another reducer, transformed by a closure.
    public struct Map<Base: ValueReducer, Value: Sendable>: ValueReducer {
        private var base: Base
        private let transform: @Sendable (Base.Value) throws -> Value

        init(_ base: Base, _ transform: @escaping @Sendable (Base.Value) throws -> Value) {
            self.base = base
            self.transform = transform
        }

        /// Returns the fetcher.
        public func _makeFetcher() -> Base.Fetcher { base._makeFetcher() }

        /// Returns the transformed value.
        public mutating func _value(_ fetched: Base.Fetcher.Value) throws -> Value? {
            try base._value(fetched).map(transform)
        }
    }

    /// Skips values that are duplicates of the previous value.
    public struct RemoveDuplicates<Base: ValueReducer>: ValueReducer {
        private var base: Base
        private var last: Base.Value?
        private let isDuplicate: (Base.Value, Base.Value) -> Bool

        init(_ base: Base, _ isDuplicate: @escaping (Base.Value, Base.Value) -> Bool) {
            self.base = base
            self.isDuplicate = isDuplicate
        }

        /// Returns the fetcher.
        public func _makeFetcher() -> Base.Fetcher { base._makeFetcher() }

        /// Returns the value, or `nil` if the value is a duplicate of the previous value.
        public mutating func _value(_ fetched: Base.Fetcher.Value) throws -> Base.Value? {
            guard let value = try base._value(fetched) else { return nil }
            if let last, isDuplicate(last, value) { return nil }
            last = value
            return value
        }
    }

    /// Reports fetches and values to callbacks.
    public struct Trace<Base: ValueReducer>: ValueReducer {
        /// Calls a callback, and then fetches the value.
        public struct Fetcher: _ValueReducerFetcher {
            let base: Base.Fetcher
            let willFetch: @Sendable () -> Void

            /// Calls the callback, and then fetches the value.
            public func fetch(_ db: Database) throws -> Base.Fetcher.Value {
                willFetch()
                return try base.fetch(db)
            }
        }

        private var base: Base
        private let willFetch: @Sendable () -> Void
        private let didReceiveValue: @Sendable (Base.Value) -> Void

        init(
            _ base: Base,
            willFetch: @escaping @Sendable () -> Void,
            didReceiveValue: @escaping @Sendable (Base.Value) -> Void
        ) {
            self.base = base
            self.willFetch = willFetch
            self.didReceiveValue = didReceiveValue
        }

        /// Returns the fetcher.
        public func _makeFetcher() -> Fetcher {
            Fetcher(base: base._makeFetcher(), willFetch: willFetch)
        }

        /// Returns the value of the wrapped reducer.
        public mutating func _value(_ fetched: Base.Fetcher.Value) throws -> Base.Value? {
            guard let value = try base._value(fetched) else { return nil }
            didReceiveValue(value)
            return value
        }
    }
}
