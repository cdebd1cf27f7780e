import SQLiteEngine

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif

extension DatabasePublishers {
    /// A publisher of the writer's connection, after each transaction that changes part of a
    /// database.
    ///
    /// It publishes on the writer, whose next access waits, and never finishes.
    public struct DatabaseRegion: Publisher {
        /// A connection that is valid only while it is being received.
        public typealias Output = Database
        /// An error from determining the region.
        public typealias Failure = any Error

        let start: StartObservation<Database>

        /// Subscribes.
        ///
        /// The observation starts with the first demand.
        public func receive<S>(subscriber: S)
        where S: Subscriber, S.Input == Database, S.Failure == any Error {
            ObservationSubscription.subscribe(subscriber, start: start)
        }
    }
}

extension DatabaseRegionObservation {
    /// Returns a publisher of the transactions that change the observed regions.
    ///
    /// - Parameter writer: The database to observe. Only this writer's transactions are reported.
    /// - Returns: A publisher that sends the writer's connection once for each such transaction,
    ///   after its commit.
    public func publisher(in writer: any DatabaseWriter) -> DatabasePublishers.DatabaseRegion {
        DatabasePublishers.DatabaseRegion { onError, onChange in
            start(in: writer, onError: onError, onChange: onChange)
        }
    }
}
