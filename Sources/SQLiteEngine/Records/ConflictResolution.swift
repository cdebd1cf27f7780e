extension Database {
    /// What SQLite does with a row that violates a constraint.
    ///
    /// See <https://sqlite.org/lang_conflict.html>.
    public enum ConflictResolution: String, Sendable {
        /// The transaction is rolled back.
        case rollback = "ROLLBACK"
        /// The statement is undone.
        case abort = "ABORT"
        /// The statement ends, and what it has done so far stays.
        case fail = "FAIL"
        /// The row is passed over.
        case ignore = "IGNORE"
        /// The rows that are in the way are deleted.
        case replace = "REPLACE"
    }
}

/// How a record type's insertions and updates resolve conflicts, unless a call says otherwise.
public struct PersistenceConflictPolicy: Sendable {
    /// What happens when an insertion violates a constraint.
    public let conflictResolutionForInsert: Database.ConflictResolution

    /// What happens when an update violates a constraint.
    public let conflictResolutionForUpdate: Database.ConflictResolution

    /// Creates a policy; without arguments, a conflict is an error.
    public init(
        insert: Database.ConflictResolution = .abort,
        update: Database.ConflictResolution = .abort
    ) {
        conflictResolutionForInsert = insert
        conflictResolutionForUpdate = update
    }
}

extension Database.ConflictResolution {
    /// What stands behind `INSERT` or `UPDATE`.
    var clause: String { self == .abort ? "" : " OR \(rawValue)" }
}
