import SQLiteEngine

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif

extension DatabasePublishers {
    /// A publisher that accesses the database once for each subscriber, sends one value, and then
    /// finishes.
    ///
    /// The publisher fails if the access fails.
    public struct Access<Output>: Publisher {
        /// A ``DatabaseError``, or an error from a closure.
        public typealias Failure = any Error

        let access: DeferredAccess<Output>

        /// Attaches a subscriber.
        ///
        /// The access starts with the first demand.
        public func receive<S>(subscriber: S)
        where S: Subscriber, S.Input == Output, S.Failure == any Error {
            access.subscribe(subscriber)
        }
    }

    /// A publisher that reads once for each subscriber.
    public typealias Read<Output> = Access<Output>

    /// A publisher that writes once for each subscriber.
    public typealias Write<Output> = Access<Output>
}
