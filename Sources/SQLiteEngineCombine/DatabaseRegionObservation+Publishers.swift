import SQLiteEngine

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif

extension DatabasePublishers {
    /// A publisher that sends the writer's connection after each transaction that changes the
    /// observed regions.
    ///
    /// The publisher sends the connection before the writer's next access starts, and never
    /// finishes.
    public struct DatabaseRegion: Publisher {
        /// A connection that is valid only while the subscriber receives it.
        public typealias Output = Database
        /// An error that occurs while determining the region.
        public typealias Failure = any Error

        let start: StartObservation<Database>

        /// Attaches a subscriber.
        ///
        /// The observation starts with the first demand.
        public func receive<S>(subscriber: S)
        where S: Subscriber, S.Input == Database, S.Failure == any Error {
            ObservationSubscription.subscribe(subscriber, start: start)
        }
    }
}

extension DatabaseRegionObservation {
    /// Returns a publisher that reports transactions that change the observed regions.
    ///
    /// - Parameter writer: The database to observe. The publisher reports only this writer's
    ///   transactions.
    /// - Returns: A publisher that sends the writer's connection after the commit of each reported
    ///   transaction.
    public func publisher(in writer: any DatabaseWriter) -> DatabasePublishers.DatabaseRegion {
        DatabasePublishers.DatabaseRegion { onError, onChange in
            start(in: writer, onError: onError, onChange: onChange)
        }
    }
}
