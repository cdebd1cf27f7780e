import SQLiteEngine

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif

extension DatabasePublishers {
    /// A publisher that migrates a database once for each subscriber.
    public typealias Migrate = Access<Void>
}

extension DatabaseMigrator {
    /// Returns a publisher that applies the migrations that have not been applied.
    ///
    /// Each subscription migrates on another thread when it first demands a value. A canceled
    /// subscription receives nothing more, but the requested migrations still take place.
    /// `status()` shows `fileID` and `line` as the holder.
    ///
    /// The publisher sends one value after the last commit, or fails with the error that
    /// `migrate` would throw. By default, the main queue delivers the value and the completion.
    public func migratePublisher(
        _ writer: any DatabaseWriter,
        receiveOn scheduler: some Scheduler = DatabasePublishers.mainScheduler,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> DatabasePublishers.Migrate {
        let access = DeferredAccess<Void>(receiveOn: scheduler) { complete in
            self.asyncMigrate(
                writer,
                completion: { result in complete(result.map { _ in }) },
                fileID: fileID,
                line: line
            )
        }
        return DatabasePublishers.Migrate(access: access)
    }
}
