import SQLiteEngine

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif

extension DatabasePublishers {
    /// A publisher that writes once for each subscriber.
    ///
    /// It publishes one value and finishes, or fails.
    public struct Write<Output>: Publisher {
        /// A ``DatabaseError``, or the error of a closure.
        public typealias Failure = any Error

        let access: DeferredAccess<Output>

        /// Subscribes.
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
    ///   - scheduler: The scheduler of the value and the completion; the main queue by default.
    ///   - updates: Writes on another thread. The transaction commits when it returns, and rolls
    ///     back when it throws.
    ///   - fileID: The file that `status()` shows as the holder.
    ///   - line: The line that `status()` shows as the holder.
    /// - Returns: A publisher of one value, which is sent after the commit. Each subscription
    ///   performs a separate write when it first demands a value. A canceled subscription receives
    ///   nothing more, but a write that it has requested still takes place.
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

    /// Returns a publisher that writes in a transaction, and then reads the committed state.
    ///
    /// The read shows exactly the state that the transaction committed. In a pool, it does not
    /// delay later writes.
    ///
    /// - Parameters:
    ///   - scheduler: The scheduler of the value and the completion; the main queue by default.
    ///   - updates: Writes on another thread. The transaction commits when it returns, and rolls
    ///     back when it throws.
    ///   - value: Reads from the database, given the result of `updates`.
    ///   - fileID: The file that `status()` shows as the holder.
    ///   - line: The line that `status()` shows as the holder.
    /// - Returns: A publisher of the result of `value`. It fails with the error that either closure
    ///   throws, or with a ``DatabaseError``.
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
    /// Runs a closure in a transaction that commits unless the closure throws.
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
