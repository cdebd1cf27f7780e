extension Database {
    /// How a transaction begins.
    public enum TransactionKind: String, Hashable, Sendable {
        /// Takes locks when they are needed.
        case deferred = "DEFERRED"
        /// Takes the write lock at once.
        case immediate = "IMMEDIATE"
        /// Takes the write lock, and without WAL keeps readers out.
        case exclusive = "EXCLUSIVE"
    }

    /// How a transaction ends.
    public enum TransactionCompletion: Hashable, Sendable {
        /// Its changes stay.
        case commit
        /// Its changes are undone.
        case rollback
    }
}
