extension Database {
    /// Returns a cursor over the foreign key violations in all tables.
    public func foreignKeyViolations() throws -> RecordCursor<ForeignKeyViolation> {
        try ForeignKeyViolation.fetchCursor(self, sql: "PRAGMA foreign_key_check")
    }

    /// Returns a cursor over the foreign key violations in one table.
    ///
    /// The name is case-insensitive. If `schemaName` is `nil`, this method searches all databases.
    /// The cursor is valid only during the access.
    ///
    /// - Throws: A ``DatabaseError`` if the schema or the table does not exist.
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

    /// Throws an error if any table contains a foreign key violation.
    ///
    /// - Throws: `SQLITE_CONSTRAINT_FOREIGNKEY` for the first violation.
    public func checkForeignKeys() throws {
        if let violation = try foreignKeyViolations().next() { throw violation.databaseError(self) }
    }

    /// Throws an error if a table contains a foreign key violation.
    ///
    /// The name is case-insensitive. If `schemaName` is `nil`, this method searches all databases.
    ///
    /// - Throws: `SQLITE_CONSTRAINT_FOREIGNKEY` for the first violation, or another error if the
    ///   schema or the table does not exist.
    public func checkForeignKeys(in tableName: String, in schemaName: String? = nil) throws {
        let violations = try foreignKeyViolations(in: tableName, in: schemaName)
        if let violation = try violations.next() { throw violation.databaseError(self) }
    }
}
