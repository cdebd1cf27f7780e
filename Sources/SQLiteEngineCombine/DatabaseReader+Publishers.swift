import SQLiteEngine

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif

extension DatabasePublishers {
    /// A publisher that reads once for each subscriber, sends one value, and then finishes.
    ///
    /// The publisher fails if the read fails.
    public struct Read<Output>: Publisher {
        /// A ``DatabaseError``, or an error from the closure.
        public typealias Failure = any Error

        let access: DeferredAccess<Output>

        /// Attaches a subscriber.
        ///
        /// The read starts with the first demand.
        public func receive<S>(subscriber: S)
        where S: Subscriber, S.Input == Output, S.Failure == any Error {
            access.subscribe(subscriber)
        }
    }
}

extension DatabaseReader {
    /// Returns a publisher that reads one state of the database.
    ///
    /// ```swift
    /// let count = pool.readPublisher { db in try Player.fetchCount(db) }
    /// ```
    ///
    /// - Parameters:
    ///   - scheduler: The scheduler that delivers the value and the completion. Defaults to the
    ///     main queue.
    ///   - value: A closure that reads the database in a separate transaction, on another thread.
    ///   - fileID: The file that `status()` reports for the holder.
    ///   - line: The line that `status()` reports for the holder.
    /// - Returns: A publisher that sends one value, or fails with a ``DatabaseError`` or the error
    ///   that `value` throws. Each subscription performs a separate read when it first demands a
    ///   value. A canceled subscription receives nothing more, but a running read continues.
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
