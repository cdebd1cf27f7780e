import SQLiteEngine

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif

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
