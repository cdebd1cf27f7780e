import SQLiteEngine

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif

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
    /// Each subscription performs a separate write, on another thread, when it first demands a
    /// value. The transaction commits if `updates` returns, and rolls back if `updates` throws an
    /// error. A canceled subscription receives nothing more, but a write that it has requested
    /// still takes place. `status()` shows `fileID` and `line` as the holder.
    ///
    /// The publisher sends one value after the commit. By default, the main queue delivers the
    /// value and the completion.
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
    /// The transaction commits if `updates` returns, and rolls back if `updates` throws an error.
    /// `value` then reads exactly the state that the transaction committed, given the result of
    /// `updates`. In a pool, the read does not delay later writes. `status()` shows `fileID` and
    /// `line` as the holder.
    ///
    /// The publisher sends the result of `value`, or fails with a ``DatabaseError`` or the error
    /// that either closure throws. By default, the main queue delivers the value and the
    /// completion.
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
