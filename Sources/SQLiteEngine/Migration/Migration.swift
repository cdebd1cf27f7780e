import CSQLite

/// One change to a database, which a ``DatabaseMigrator`` applies.
struct Migration: Sendable {
    let identifier: String
    let mergedIdentifiers: Set<String>
    /// Whether foreign keys are disabled during the migration.
    let disablesForeignKeys: Bool
    /// Whether all foreign keys are checked before the migration commits.
    let checksForeignKeys: Bool
    let body: @Sendable (_ db: Database, _ appliedIdentifiers: Set<String>) throws -> Void

    /// Returns whether the migration has not been applied, or leaves identifiers to remove.
    func isNeeded(_ applied: Set<String>) -> Bool {
        !applied.contains(identifier) || !mergedIdentifiers.isDisjoint(with: applied)
    }

    /// Runs a closure in a transaction, with the foreign keys that the migration requires.
    ///
    /// The closure returns whether it has run the migration.
    func inTransaction(_ db: Database, _ apply: () throws -> Bool) throws {
        // Migrations do not depend on the schema source, which may change later.
        try db.withSchemaSource(nil) {
            let hadForeignKeys = db.foreignKeysAreEnabled
            if disablesForeignKeys { db.foreignKeysAreEnabled = false }
            defer { db.foreignKeysAreEnabled = hadForeignKeys }
            try db.inTransaction(.immediate) {
                let hasRun = try apply()
                if hasRun, hadForeignKeys, checksForeignKeys { try db.checkForeignKeys() }
                return .commit
            }
        }
    }

    /// Applies the migration unless it has been applied, and records this.
    ///
    /// - Parameters:
    ///   - db: A connection in a transaction.
    ///   - applied: The identifiers of the applied migrations.
    /// - Returns: Whether the migration has run.
    /// - Throws: The error of the migration, or a ``DatabaseError``.
    func apply(_ db: Database, _ applied: Set<String>) throws -> Bool {
        let isApplied = applied.contains(identifier)
        if !isApplied { try body(db, mergedIdentifiers.intersection(applied)) }
        if !mergedIdentifiers.isEmpty {
            try db.execute(
                literal: "DELETE FROM grdb_migrations WHERE identifier IN \(mergedIdentifiers)"
            )
        }
        guard !isApplied else { return false }
        try db.execute(literal: "INSERT INTO grdb_migrations (identifier) VALUES (\(identifier))")
        return true
    }
}

extension Database {
    /// Whether SQLite enforces foreign keys.
    ///
    /// Unlike `PRAGMA foreign_keys`, changes cannot fail, so that an interrupt or a lack of memory
    /// never leaves the foreign keys disabled. Set this property only outside transactions.
    fileprivate var foreignKeysAreEnabled: Bool {
        get {
            var isEnabled: CInt = 0
            poolgauge_db_config(handle, SQLITE_DBCONFIG_ENABLE_FKEY, -1, &isEnabled)
            return isEnabled != 0
        }
        set { poolgauge_db_config(handle, SQLITE_DBCONFIG_ENABLE_FKEY, newValue ? 1 : 0, nil) }
    }
}
