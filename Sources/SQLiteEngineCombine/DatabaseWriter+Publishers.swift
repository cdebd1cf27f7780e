import SQLiteEngine

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif

extension DatabasePublishers {
    /// Writes once for each subscriber: publishes one value and finishes, or fails.
    public struct Write<Output>: Publisher {
        /// What ``DatabaseError`` and the closures throw.
        public typealias Failure = any Error

        let access: DeferredAccess<Output>

        /// Subscribes; the write is asked for with the first demand.
        public func receive<S>(subscriber: S)
        where S: Subscriber, S.Input == Output, S.Failure == any Error {
            access.subscribe(subscriber)
        }
    }
}

extension DatabaseWriter {
    /// A publisher that writes in a transaction.
    ///
    /// ```swift
    /// let newCount = pool.writePublisher { db in
    ///     try Player(name: "Ada").insert(db)
    ///     return try Player.fetchCount(db)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - scheduler: Where the value and the end are told; the main queue by default.
    ///   - updates: Writes, on another thread. The transaction is committed when it returns, and
    ///     rolled back when it throws.
    ///   - fileID: The file that `status()` shows as the holder.
    ///   - line: The line that `status()` shows as the holder.
    /// - Returns: A publisher of one value, which is told after the commit. Each subscription
    ///   writes anew, when it first demands a value. A subscription that is cancelled is told
    ///   nothing any more; a write that it has asked for is done all the same.
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

    /// A publisher that writes in a transaction, and then reads what it has left.
    ///
    /// The read sees the state that the transaction has committed, and no later one. In a pool it
    /// does not hold up the writes that follow.
    ///
    /// - Parameters:
    ///   - scheduler: Where the value and the end are told; the main queue by default.
    ///   - updates: Writes, on another thread. The transaction is committed when it returns, and
    ///     rolled back when it throws.
    ///   - value: Reads, and is given what `updates` has returned.
    ///   - fileID: The file that `status()` shows as the holder.
    ///   - line: The line that `status()` shows as the holder.
    /// - Returns: A publisher of what `value` returns. It fails with what either closure throws,
    ///   and with ``DatabaseError``.
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
    /// Runs a closure in a transaction that is committed unless it throws.
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
