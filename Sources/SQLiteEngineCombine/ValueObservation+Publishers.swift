import Dispatch
import SQLiteEngine

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif

extension DatabasePublishers {
    /// Publishes the values of an observation, and fails with its error; it never finishes.
    public struct Value<Output>: Publisher {
        /// What fetching the value throws.
        public typealias Failure = any Error

        let start: StartObservation<Output>

        /// Subscribes; the observation starts with the first demand.
        ///
        /// Values that come while there is no demand are dropped.
        public func receive<S>(subscriber: S)
        where S: Subscriber, S.Input == Output, S.Failure == any Error {
            ObservationSubscription.subscribe(subscriber, start: start)
        }
    }
}

extension ValueObservation where Reducer: ValueReducer {
    /// A publisher of the observed values, of which each subscription is an observation of its own.
    ///
    /// ```swift
    /// let players = ValueObservation.tracking { db in try Player.fetchAll(db) }
    /// let cancellable = players.publisher(in: pool, scheduling: .immediate)
    ///     .sink(receiveCompletion: { _ in }, receiveValue: { show($0) })
    /// ```
    ///
    /// - Parameters:
    ///   - reader: Where values are fetched.
    ///   - scheduler: Where values are told; the main queue by default, and `.immediate` for a
    ///     first value within the subscription.
    /// - Returns: The publisher.
    public func publisher(
        in reader: any DatabaseReader,
        scheduling scheduler: some ValueObservationScheduler = .async(onQueue: .main)
    ) -> DatabasePublishers.Value<Reducer.Value> {
        DatabasePublishers.Value { onError, onChange in
            start(in: reader, scheduling: scheduler, onError: onError, onChange: onChange)
        }
    }
}

extension SharedValueObservation {
    /// A publisher of the observed values, whose subscriptions share one observation.
    public func publisher() -> DatabasePublishers.Value<Element> {
        DatabasePublishers.Value { onError, onChange in
            self.start(onError: onError, onChange: onChange)
        }
    }
}
