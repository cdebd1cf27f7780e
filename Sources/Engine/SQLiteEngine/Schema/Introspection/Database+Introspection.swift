extension Database {
    /// Returns the columns of a table or a view in order, including generated columns.
    ///
    /// The name is case-insensitive. If `schemaName` is `nil`, this method searches all databases.
    /// The result is cached until the schema changes.
    ///
    /// - Throws: A ``DatabaseError`` if the schema or the table does not exist.
    public func columns(
        in tableName: String,
        in schemaName: String? = nil
    ) throws -> [ColumnInfo] {
        try columns(of: schemaObject(tableName, in: schemaName))
    }

    /// Returns the primary key of a table.
    ///
    /// The name is case-insensitive. If `schemaName` is `nil`, this method searches all databases.
    /// The result is cached until the schema changes.
    ///
    /// - Throws: A ``DatabaseError`` if the schema or the table does not exist, or if the table is
    ///   a view without a key in ``Configuration/schemaSource``.
    public func primaryKey(
        _ tableName: String,
        in schemaName: String? = nil
    ) throws -> PrimaryKeyInfo {
        try primaryKey(of: schemaObject(tableName, in: schemaName))
    }

    /// Returns the indexes of a table, except indexes on expressions.
    ///
    /// The name is case-insensitive. If `schemaName` is `nil`, this method searches all databases.
    /// The result is cached until the schema changes.
    ///
    /// The result does not include the rowid, which acts as an unnamed index.
    ///
    /// - Throws: A ``DatabaseError`` if the schema or the table does not exist.
    public func indexes(
        on tableName: String,
        in schemaName: String? = nil
    ) throws -> [IndexInfo] {
        try indexes(of: schemaObject(tableName, in: schemaName))
    }

    /// Returns the foreign keys of a table.
    ///
    /// The name is case-insensitive. If `schemaName` is `nil`, this method searches all databases.
    /// The result is cached until the schema changes.
    ///
    /// - Throws: A ``DatabaseError`` if the schema or the table does not exist, or if a foreign key
    ///   that omits the referenced columns references a missing table.
    public func foreignKeys(
        on tableName: String,
        in schemaName: String? = nil
    ) throws -> [ForeignKeyInfo] {
        try foreignKeys(of: schemaObject(tableName, in: schemaName))
    }

    /// Returns whether the given columns identify at most one row.
    ///
    /// The result is `true` if the columns include the primary key or all columns of a unique index,
    /// in any order. The name `rowid` represents the rowid, if any.
    ///
    /// - Throws: A ``DatabaseError`` if the table does not exist.
    public func table(
        _ tableName: String,
        hasUniqueKey columns: some Collection<String>
    ) throws -> Bool {
        let table = try schemaObject(tableName, in: nil)
        let columns = Set(columns.map { $0.identifierKey })
        func isCovered(_ key: [String]) -> Bool {
            columns.isSuperset(of: key.map { $0.identifierKey })
        }
        if table.isView {
            let key = try columnsForPrimaryKey(ofView: table.name, in: table.database)
            return !key.isEmpty && isCovered(key)
        }
        let primaryKey = try primaryKey(of: table)
        if primaryKey.tableHasRowID, columns.contains(Column.rowID.name) { return true }
        if primaryKey.columnInfos != nil, isCovered(primaryKey.columns) { return true }
        return try indexes(of: table).contains { $0.isUnique && isCovered($0.columns) }
    }

    // MARK: Queries

    func columns(of table: SchemaObject) throws -> [ColumnInfo] {
        try detail(\.columns, of: table) {
            // 1 marks hidden columns of virtual tables. 2 and 3 mark generated columns.
            try ColumnInfo.fetchAll(
                self,
                sql: "SELECT * FROM pragma_table_xinfo(?, ?) WHERE hidden <> 1",
                arguments: [table.name, table.database]
            )
        }
    }

    /// Returns the columns of the declared primary key, in order.
    func keyColumns(of table: SchemaObject) throws -> [ColumnInfo] {
        try columns(of: table).filter { $0.primaryKeyIndex > 0 }
            .sorted { $0.primaryKeyIndex < $1.primaryKeyIndex }
    }

    private func primaryKey(of table: SchemaObject) throws -> PrimaryKeyInfo {
        try detail(\.primaryKey, of: table) {
            if table.isView { return try primaryKey(ofView: table) }
            let columns = try keyColumns(of: table)
            guard !columns.isEmpty else {
                return PrimaryKeyInfo(columnInfos: nil, tableHasRowID: true, rowIDColumn: nil)
            }
            let isWithoutRowID = try Bool.fetchOne(
                self,
                sql: "SELECT wr FROM pragma_table_list(?) WHERE schema = ?",
                arguments: [table.name, table.database]
            )
            return PrimaryKeyInfo(
                columnInfos: columns,
                tableHasRowID: isWithoutRowID != true,
                rowIDColumn: try fetchShape(of: table).rowIDColumn
            )
        }
    }

    private func primaryKey(ofView view: SchemaObject) throws -> PrimaryKeyInfo {
        let names = try columnsForPrimaryKey(ofView: view.name, in: view.database)
        guard !names.isEmpty else {
            throw DatabaseError(message: "the view `\(view.name)` has no primary key")
        }
        let columns = try columns(of: view)
        let key = try names.map { name in
            guard let column = columns.first(where: { $0.name.isSameIdentifier(as: name) }) else {
                throw DatabaseError(
                    message: """
                        no such column: \(view.name).\(name), which the schema source specifies as \
                        the primary key of the view
                        """
                )
            }
            return column
        }
        return PrimaryKeyInfo(columnInfos: key, tableHasRowID: false, rowIDColumn: nil)
    }

    private func indexes(of table: SchemaObject) throws -> [IndexInfo] {
        try detail(\.indexes, of: table) {
            let rows = try Row.fetchAll(
                self,
                sql: "SELECT name, \"unique\", origin FROM pragma_index_list(?, ?)",
                arguments: [table.name, table.database]
            )
            return try rows.compactMap { row in
                let name: String = row[0]
                // The name of an expression column is `NULL`.
                let columns = try (String?)
                    .fetchAll(
                        self,
                        sql: "SELECT name FROM pragma_index_info(?, ?) ORDER BY seqno",
                        arguments: [name, table.database]
                    )
                guard !columns.contains(nil) else { return nil }
                return IndexInfo(
                    name: name,
                    columns: columns.compactMap { $0 },
                    isUnique: row[1],
                    origin: row[2]
                )
            }
        }
    }

    private func foreignKeys(of table: SchemaObject) throws -> [ForeignKeyInfo] {
        try detail(\.foreignKeys, of: table) {
            let rows = try Row.fetchAll(
                self,
                sql: """
                    SELECT id, "table", "from", "to" FROM pragma_foreign_key_list(?, ?)
                    ORDER BY id, seq
                    """,
                arguments: [table.name, table.database]
            )
            var keys: [ForeignKeyInfo] = []
            for row in rows {
                let (id, destination, origin): (Int, String, String) = (row[0], row[1], row[2])
                var mapping = keys.last?.id == id ? keys.removeLast().mapping : []
                // If the column name is omitted, the foreign key references the primary key.
                let column =
                    try row[3] as String?
                    ?? primaryKeyColumn(mapping.count, of: destination, table: table)
                mapping.append((origin, column))
                keys.append(ForeignKeyInfo(id: id, destinationTable: destination, mapping: mapping))
            }
            return keys
        }
    }

    private func primaryKeyColumn(
        _ index: Int,
        of destination: String,
        table: SchemaObject
    ) throws -> String {
        let columns = try primaryKey(destination, in: table.database).columns
        guard columns.indices.contains(index) else {
            throw DatabaseError(
                message: "foreign key mismatch - \"\(table.name)\" referencing \"\(destination)\""
            )
        }
        return columns[index]
    }

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
