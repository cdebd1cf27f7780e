extension Database {
    /// Returns a cursor over the rows of all tables that refer to missing rows.
    public func foreignKeyViolations() throws -> RecordCursor<ForeignKeyViolation> {
        try ForeignKeyViolation.fetchCursor(self, sql: "PRAGMA foreign_key_check")
    }

    /// Returns a cursor over the rows of one table that refer to missing rows.
    ///
    /// - Parameters:
    ///   - tableName: The name of the table, ignoring case.
    ///   - schemaName: `main`, `temp`, or the name of an attached database; by default, all of
    ///     them.
    /// - Returns: A cursor, which is valid during the access.
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

    /// Throws if a row of any table refers to a missing row.
    ///
    /// - Throws: `SQLITE_CONSTRAINT_FOREIGNKEY` for the first violation.
    public func checkForeignKeys() throws {
        if let violation = try foreignKeyViolations().next() { throw violation.databaseError(self) }
    }

    /// Throws if a row of a table refers to a missing row.
    ///
    /// - Parameters:
    ///   - tableName: The name of the table, ignoring case.
    ///   - schemaName: `main`, `temp`, or the name of an attached database; by default, all of
    ///     them.
    /// - Throws: `SQLITE_CONSTRAINT_FOREIGNKEY` for the first violation, and another error if the
    ///   schema or the table does not exist.
    public func checkForeignKeys(in tableName: String, in schemaName: String? = nil) throws {
        let violations = try foreignKeyViolations(in: tableName, in: schemaName)
        if let violation = try violations.next() { throw violation.databaseError(self) }
    }
}
