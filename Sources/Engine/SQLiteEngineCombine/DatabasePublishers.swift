import Dispatch
import SQLiteEngine

#if canImport(Combine)
import Combine
import Dispatch
#else
import Dispatch
import OpenCombine
import OpenCombineDispatch
#endif

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif

/// The publishers for accesses and observations.
///
/// The publishers use Combine if the system provides it, and OpenCombine otherwise.
public enum DatabasePublishers {
    #if canImport(Combine)
    /// The type of the main dispatch queue's scheduler.
    public typealias MainScheduler = DispatchQueue

    /// The main dispatch queue as a scheduler.
    public static var mainScheduler: MainScheduler { .main }
    #else
    /// The type of the main dispatch queue's scheduler.
    public typealias MainScheduler = DispatchQueue.OCombine

    /// The main dispatch queue as a scheduler.
    public static var mainScheduler: MainScheduler { DispatchQueue.main.ocombine }
    #endif
}

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

extension ValueObservation where Reducer: ValueReducer {
    /// Returns a publisher of the observed values.
    ///
    /// Each subscription is a separate observation.
    ///
    /// ```swift
    /// let players = ValueObservation.tracking { db in try Player.fetchAll(db) }
    /// let cancellable = players.publisher(in: pool, scheduling: .immediate)
    ///     .sink(receiveCompletion: { _ in }, receiveValue: { show($0) })
    /// ```
    ///
    /// - Parameters:
    ///   - reader: The database to fetch values from.
    ///   - scheduler: The scheduler that delivers values. Defaults to the main queue. With
    ///     `.immediate`, the subscription delivers the first value before it returns.
    /// - Returns: The publisher.
    public func publisher(
        in reader: any DatabaseReader,
        scheduling scheduler: some ValueObservationScheduler = .async(onQueue: .main)
    ) -> DatabasePublishers.Value<Reducer.Value> {
        DatabasePublishers.Value { onError, onChange in
            start(in: reader, scheduling: scheduler, onError: onError, onChange: onChange)
        }
    }
}

extension SharedValueObservation {
    /// Returns a publisher of the observed values.
    ///
    /// All subscriptions share one observation.
    public func publisher() -> DatabasePublishers.Value<Element> {
        DatabasePublishers.Value { onError, onChange in
            self.start(onError: onError, onChange: onChange)
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
