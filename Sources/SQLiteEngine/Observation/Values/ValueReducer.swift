/// Fetches what an observation needs, on whichever connection.
public protocol _ValueReducerFetcher: Sendable {
    /// What is fetched.
    associatedtype Value

    /// Fetches it.
    func fetch(_ db: Database) throws -> Value
}

/// Turns what was fetched into the values of an observation, one after another.
public protocol _ValueReducer: SendableMetatype {
    /// What fetches.
    associatedtype Fetcher: _ValueReducerFetcher
    /// What the observation tells.
    associatedtype Value

    /// Makes what fetches.
    func _makeFetcher() -> Fetcher

    /// The value of what was fetched; nil when there is nothing to tell.
    ///
    /// The first time there is always something.
    mutating func _value(_ fetched: Fetcher.Value) throws -> Value?
}

/// A `_ValueReducer` whose values may go from thread to thread.
public protocol ValueReducer: _ValueReducer where Value: Sendable {}

/// A reducer that tells what was fetched as it is: it runs no closure.
protocol PlainReducer {}

extension ValueReducers.Fetch: PlainReducer {}

/// The reducers behind the methods of ``ValueObservation``.
public enum ValueReducers {}

extension ValueReducers {
    /// Tells what a closure fetches.
    public struct Fetch<Value: Sendable>: ValueReducer {
        /// Fetches with the closure.
        public struct Fetcher: _ValueReducerFetcher {
            let closure: @Sendable (Database) throws -> Value

            /// Fetches with the closure.
            public func fetch(_ db: Database) throws -> Value { try closure(db) }
        }

        private let fetcher: Fetcher

        init(_ closure: @escaping @Sendable (Database) throws -> Value) {
            fetcher = Fetcher(closure: closure)
        }

        /// Makes what fetches.
        public func _makeFetcher() -> Fetcher { fetcher }

        /// What was fetched.
        public mutating func _value(_ fetched: Value) throws -> Value? { fetched }
    }

    /// Tells what a closure makes of another reducer's values.
    public struct Map<Base: ValueReducer, Value: Sendable>: ValueReducer {
        private var base: Base
        private let transform: @Sendable (Base.Value) throws -> Value

        init(_ base: Base, _ transform: @escaping @Sendable (Base.Value) throws -> Value) {
            self.base = base
            self.transform = transform
        }

        /// Makes what fetches.
        public func _makeFetcher() -> Base.Fetcher { base._makeFetcher() }

        /// The transformed value.
        public mutating func _value(_ fetched: Base.Fetcher.Value) throws -> Value? {
            try base._value(fetched).map(transform)
        }
    }

    /// Tells only values that differ from the one before.
    public struct RemoveDuplicates<Base: ValueReducer>: ValueReducer {
        private var base: Base
        private var last: Base.Value?
        private let isDuplicate: (Base.Value, Base.Value) -> Bool

        init(_ base: Base, _ isDuplicate: @escaping (Base.Value, Base.Value) -> Bool) {
            self.base = base
            self.isDuplicate = isDuplicate
        }

        /// Makes what fetches.
        public func _makeFetcher() -> Base.Fetcher { base._makeFetcher() }

        /// The value; nil when it equals the one before.
        public mutating func _value(_ fetched: Base.Fetcher.Value) throws -> Base.Value? {
            guard let value = try base._value(fetched) else { return nil }
            if let last, isDuplicate(last, value) { return nil }
            last = value
            return value
        }
    }

    /// Tells of fetches and values on the way.
    public struct Trace<Base: ValueReducer>: ValueReducer {
        /// Fetches, and tells before.
        public struct Fetcher: _ValueReducerFetcher {
            let base: Base.Fetcher
            let willFetch: @Sendable () -> Void

            /// Fetches.
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

        /// Makes what fetches.
        public func _makeFetcher() -> Fetcher {
            Fetcher(base: base._makeFetcher(), willFetch: willFetch)
        }

        /// The value of the reducer below.
        public mutating func _value(_ fetched: Base.Fetcher.Value) throws -> Base.Value? {
            guard let value = try base._value(fetched) else { return nil }
            didReceiveValue(value)
            return value
        }
    }
}
