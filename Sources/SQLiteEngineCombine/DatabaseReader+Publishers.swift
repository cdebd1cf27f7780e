import SQLiteEngine

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif

extension DatabasePublishers {
    /// Reads once for each subscriber: publishes one value and finishes, or fails.
    public struct Read<Output>: Publisher {
        /// What ``DatabaseError`` and the closure throw.
        public typealias Failure = any Error

        let access: DeferredAccess<Output>

        /// Subscribes; the read begins with the first demand.
        public func receive<S>(subscriber: S)
        where S: Subscriber, S.Input == Output, S.Failure == any Error {
            access.subscribe(subscriber)
        }
    }
}

extension DatabaseReader {
    /// A publisher that reads one state of the database.
    ///
    /// ```swift
    /// let count = pool.readPublisher { db in try Player.fetchCount(db) }
    /// ```
    ///
    /// - Parameters:
    ///   - scheduler: Where the value and the end are told; the main queue by default.
    ///   - value: Reads, on another thread, in a transaction of its own.
    ///   - fileID: The file that `status()` shows as the holder.
    ///   - line: The line that `status()` shows as the holder.
    /// - Returns: A publisher of one value, which fails with what `value` throws, and with
    ///   ``DatabaseError``. Each subscription reads anew, when it first demands a value. A
    ///   subscription that is cancelled is told nothing any more; a read that runs goes on.
    public func readPublisher<Output>(
        receiveOn scheduler: some Scheduler = DatabasePublishers.mainScheduler,
        value: @escaping @Sendable (Database) throws -> Output,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> DatabasePublishers.Read<Output> {
        let access = DeferredAccess<Output>(receiveOn: scheduler) { complete in
            self.asyncRead(
                { db in complete(Result { try value(db.get()) }) },
                fileID: fileID,
                line: line
            )
        }
        return DatabasePublishers.Read(access: access)
    }
}
