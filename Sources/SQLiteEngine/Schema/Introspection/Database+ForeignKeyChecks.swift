extension Database {
    /// The rows of all tables that refer to others which are not there.
    public func foreignKeyViolations() throws -> RecordCursor<ForeignKeyViolation> {
        try ForeignKeyViolation.fetchCursor(self, sql: "PRAGMA foreign_key_check")
    }

    /// The rows of one table that refer to others which are not there.
    ///
    /// - Parameters:
    ///   - tableName: The name of the table; case does not matter.
    ///   - schemaName: `main`, `temp`, or the name of an attached database; all of them by default.
    /// - Returns: A cursor, which is valid during the access.
    /// - Throws: A ``DatabaseError``: no such schema, no such table.
    public func foreignKeyViolations(
        in tableName: String,
        in schemaName: String? = nil
    ) throws -> RecordCursor<ForeignKeyViolation> {
        let table = try schemaObject(tableName, in: schemaName)
        return try ForeignKeyViolation.fetchCursor(
            self,
            sql: """
                PRAGMA \(table.database.quotedIdentifier)\
                .foreign_key_check(\(table.name.quotedIdentifier))
                """
        )
    }

    /// Throws when a row of any table refers to another one that is not there.
    ///
    /// - Throws: `SQLITE_CONSTRAINT_FOREIGNKEY` for the first one.
    public func checkForeignKeys() throws {
        if let violation = try foreignKeyViolations().next() { throw violation.databaseError(self) }
    }

    /// Throws when a row of a table refers to another one that is not there.
    ///
    /// - Parameters:
    ///   - tableName: The name of the table; case does not matter.
    ///   - schemaName: `main`, `temp`, or the name of an attached database; all of them by default.
    /// - Throws: `SQLITE_CONSTRAINT_FOREIGNKEY` for the first one; no such schema, no such table.
    public func checkForeignKeys(in tableName: String, in schemaName: String? = nil) throws {
        let violations = try foreignKeyViolations(in: tableName, in: schemaName)
        if let violation = try violations.next() { throw violation.databaseError(self) }
    }
}
