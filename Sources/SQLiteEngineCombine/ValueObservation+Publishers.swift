import Dispatch
import SQLiteEngine

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif

extension ValueObservation where Reducer: ValueReducer {
    /// Returns a publisher of the observed values.
    ///
    /// Each subscription is a separate observation.
    ///
    /// ```swift
    /// let players = ValueObservation.tracking { db in try Player.fetchAll(db) }
    /// let cancellable = players.publisher(in: pool, scheduling: .immediate)
    ///     .sink(receiveCompletion: { _ in }, receiveValue: { show($0) })
    /// ```
    ///
    /// - Parameters:
    ///   - reader: The database to fetch values from.
    ///   - scheduler: The scheduler that delivers values. Defaults to the main queue. With
    ///     `.immediate`, the subscription delivers the first value before it returns.
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
    /// Returns a publisher of the observed values.
    ///
    /// All subscriptions share one observation.
    public func publisher() -> DatabasePublishers.Value<Element> {
        DatabasePublishers.Value { onError, onChange in
            self.start(onError: onError, onChange: onChange)
        }
    }
}
