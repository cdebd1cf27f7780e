import SQLiteEngine

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif

extension DatabasePublishers {
    /// A publisher that writes once for each subscriber, sends one value, and then finishes.
    ///
    /// The publisher fails if the write fails.
    public struct Write<Output>: Publisher {
        /// A ``DatabaseError``, or an error from a closure.
        public typealias Failure = any Error

        let access: DeferredAccess<Output>

        /// Attaches a subscriber.
        ///
        /// The first demand requests the write.
        public func receive<S>(subscriber: S)
        where S: Subscriber, S.Input == Output, S.Failure == any Error {
            access.subscribe(subscriber)
        }
    }
}

extension DatabaseWriter {
    /// Returns a publisher that writes in a transaction.
    ///
    /// ```swift
    /// let newCount = pool.writePublisher { db in
    ///     try Player(name: "Ada").insert(db)
    ///     return try Player.fetchCount(db)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - scheduler: The scheduler that delivers the value and the completion. Defaults to the
    ///     main queue.
    ///   - updates: A closure that writes to the database on another thread. The transaction
    ///     commits if the closure returns, and rolls back if the closure throws an error.
    ///   - fileID: The file that `status()` reports for the holder.
    ///   - line: The line that `status()` reports for the holder.
    /// - Returns: A publisher that sends one value after the commit. Each subscription performs a
    ///   separate write when it first demands a value. A canceled subscription receives nothing
    ///   more, but a write that it has requested still takes place.
    public func writePublisher<Output>(
        receiveOn scheduler: some Scheduler = DatabasePublishers.mainScheduler,
        updates: @escaping @Sendable (Database) throws -> Output,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> DatabasePublishers.Write<Output> {
        let access = DeferredAccess<Output>(receiveOn: scheduler) { complete in
            self.asyncWriteWithoutTransaction(
                { db in complete(Result { try db.inCommittedTransaction(updates) }) },
                fileID: fileID,
                line: line
            )
        }
        return DatabasePublishers.Write(access: access)
    }

    /// Returns a publisher that writes in a transaction and then reads the committed state.
    ///
    /// The read uses exactly the state that the transaction committed. In a pool, the read does not
    /// delay later writes.
    ///
    /// - Parameters:
    ///   - scheduler: The scheduler that delivers the value and the completion. Defaults to the
    ///     main queue.
    ///   - updates: A closure that writes to the database on another thread. The transaction
    ///     commits if the closure returns, and rolls back if the closure throws an error.
    ///   - value: A closure that reads from the database, given the result of `updates`.
    ///   - fileID: The file that `status()` reports for the holder.
    ///   - line: The line that `status()` reports for the holder.
    /// - Returns: A publisher that sends the result of `value`, or fails with a ``DatabaseError``
    ///   or the error that either closure throws.
    public func writePublisher<T: Sendable, Output>(
        receiveOn scheduler: some Scheduler = DatabasePublishers.mainScheduler,
        updates: @escaping @Sendable (Database) throws -> T,
        thenRead value: @escaping @Sendable (Database, T) throws -> Output,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> DatabasePublishers.Write<Output> {
        let access = DeferredAccess<Output>(receiveOn: scheduler) { complete in
            self.asyncWriteWithoutTransaction(
                { db in
                    do {
                        let updated = try db.inCommittedTransaction(updates)
                        self.spawnConcurrentRead(
                            { db in complete(Result { try value(db.get(), updated) }) },
                            fileID: fileID,
                            line: line
                        )
                    } catch {
                        complete(.failure(error))
                    }
                },
                fileID: fileID,
                line: line
            )
        }
        return DatabasePublishers.Write(access: access)
    }
}

extension Database {
    /// Runs a closure in a transaction that commits unless the closure throws an error.
    fileprivate func inCommittedTransaction<T>(_ updates: (Database) throws -> T) throws -> T {
        var updated: Result<T, any Error>?
        try inTransaction {
            updated = .success(try updates(self))
            return .commit
        }
        guard let updated else { preconditionFailure("The transaction's closure did not run.") }
        return try updated.get()
    }
}
