import SQLiteEngine

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif

extension DatabasePublishers {
    /// Publishes the writer's connection after each transaction that changes a part of a database.
    ///
    /// It publishes on the writer, whose next access waits, and never finishes.
    public struct DatabaseRegion: Publisher {
        /// A connection to be used while it is received, not later.
        public typealias Output = Database
        /// What naming the regions throws.
        public typealias Failure = any Error

        let start: StartObservation<Database>

        /// Subscribes; the observation starts with the first demand.
        public func receive<S>(subscriber: S)
        where S: Subscriber, S.Input == Database, S.Failure == any Error {
            ObservationSubscription.subscribe(subscriber, start: start)
        }
    }
}

extension DatabaseRegionObservation {
    /// A publisher of the transactions that change the observed regions.
    ///
    /// - Parameter writer: The database; transactions of this writer are told.
    /// - Returns: A publisher of the writer's connection, told once for each such transaction,
    ///   after its commit.
    public func publisher(in writer: any DatabaseWriter) -> DatabasePublishers.DatabaseRegion {
        DatabasePublishers.DatabaseRegion { onError, onChange in
            start(in: writer, onError: onError, onChange: onChange)
        }
    }
}
