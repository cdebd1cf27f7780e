import SQLiteEngine

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif

extension DatabaseReader {
    /// Returns a publisher that reads one state of the database.
    ///
    /// ```swift
    /// let count = pool.readPublisher { db in try Player.fetchCount(db) }
    /// ```
    ///
    /// Each subscription performs a separate read, in its own transaction on another thread, when
    /// it first demands a value. A canceled subscription receives nothing more, but a running read
    /// continues. `status()` shows `fileID` and `line` as the holder.
    ///
    /// The publisher sends one value, or fails with a ``DatabaseError`` or the error that `value`
    /// throws. By default, the main queue delivers the value and the completion.
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
