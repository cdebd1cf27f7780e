extension Database {
    /// The locking behavior of a transaction.
    public enum TransactionKind: String, Hashable, Sendable {
        /// Acquires locks when they are needed.
        case deferred = "DEFERRED"
        /// Acquires the write lock immediately.
        case immediate = "IMMEDIATE"
        /// Acquires the write lock immediately.
        ///
        /// Without WAL, the transaction also blocks readers.
        case exclusive = "EXCLUSIVE"
    }

    /// The outcome of a transaction.
    public enum TransactionCompletion: Hashable, Sendable {
        /// The changes are kept.
        case commit
        /// The changes are rolled back.
        case rollback
    }
}
