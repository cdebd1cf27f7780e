import SQLiteEngine

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif

extension DatabasePublishers {
    /// A publisher that sends the values of an observation.
    ///
    /// The publisher fails with the observation's error, and never finishes.
    public struct Value<Output>: Publisher {
        /// An error that occurs while fetching a value or determining a region.
        public typealias Failure = any Error

        let start: StartObservation<Output>

        /// Attaches a subscriber.
        ///
        /// The observation starts with the first demand. The publisher drops values without demand.
        public func receive<S>(subscriber: S)
        where S: Subscriber, S.Input == Output, S.Failure == any Error {
            ObservationSubscription.subscribe(subscriber, start: start)
        }
    }

    /// A publisher that sends the writer's connection after each transaction that changes the
    /// observed regions, before the writer's next access starts.
    ///
    /// The connection is valid only while the subscriber receives it.
    public typealias DatabaseRegion = Value<Database>
}
