extension Database {
    /// The way that SQLite resolves a constraint violation.
    ///
    /// See <https://sqlite.org/lang_conflict.html>.
    public enum ConflictResolution: String, Sendable {
        /// The transaction is rolled back.
        case rollback = "ROLLBACK"
        /// The statement is rolled back.
        case abort = "ABORT"
        /// The statement ends, and its previous changes are kept.
        case fail = "FAIL"
        /// The row is skipped.
        case ignore = "IGNORE"
        /// The conflicting rows are deleted.
        case replace = "REPLACE"
    }
}

/// The default conflict resolutions for a record type.
public struct PersistenceConflictPolicy: Sendable {
    /// The resolution for an insertion that violates a constraint.
    public let conflictResolutionForInsert: Database.ConflictResolution

    /// The resolution for an update that violates a constraint.
    public let conflictResolutionForUpdate: Database.ConflictResolution

    /// Creates a policy.
    ///
    /// By default, a conflict is an error.
    public init(
        insert: Database.ConflictResolution = .abort,
        update: Database.ConflictResolution = .abort
    ) {
        conflictResolutionForInsert = insert
        conflictResolutionForUpdate = update
    }
}

extension Database.ConflictResolution {
    /// The conflict clause after `INSERT` or `UPDATE`.
    var clause: String { self == .abort ? "" : " OR \(rawValue)" }
}
