extension Database {
    /// The way a transaction starts.
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

    /// The way a transaction ends.
    public enum TransactionCompletion: Hashable, Sendable {
        /// The changes are kept.
        case commit
        /// The changes are rolled back.
        case rollback
    }
}
