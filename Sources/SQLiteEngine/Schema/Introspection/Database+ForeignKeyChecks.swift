extension Database {
    /// Returns a cursor over the rows that refer to missing rows, in all tables.
    public func foreignKeyViolations() throws -> RecordCursor<ForeignKeyViolation> {
        try ForeignKeyViolation.fetchCursor(self, sql: "PRAGMA foreign_key_check")
    }

    /// Returns a cursor over the rows that refer to missing rows, in one table.
    ///
    /// The method ignores the case of the name. If `schemaName` is `nil`, the method searches all
    /// databases. The cursor is valid only during the access.
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

    /// Throws an error if a row in any table refers to a missing row.
    ///
    /// - Throws: `SQLITE_CONSTRAINT_FOREIGNKEY` for the first violation.
    public func checkForeignKeys() throws {
        if let violation = try foreignKeyViolations().next() { throw violation.databaseError(self) }
    }

    /// Throws an error if a row in a table refers to a missing row.
    ///
    /// The method ignores the case of the name. If `schemaName` is `nil`, the method searches all
    /// databases.
    ///
    /// - Throws: `SQLITE_CONSTRAINT_FOREIGNKEY` for the first violation, or another error if the
    ///   schema or the table does not exist.
    public func checkForeignKeys(in tableName: String, in schemaName: String? = nil) throws {
        let violations = try foreignKeyViolations(in: tableName, in: schemaName)
        if let violation = try violations.next() { throw violation.databaseError(self) }
    }
}
