/// The statements that write one record.
struct RecordStatements {
    let db: Database
    let table: String
    let shape: TableShape
    let container: PersistenceContainer

    init<Record: MutablePersistableRecord>(_ db: Database, _ record: Record) throws {
        self.db = db
        table = Record.databaseTableName
        shape = try db.tableShape(table, isForWrite: true)
        container = try PersistenceContainer(record)
        requirement(!container.isEmpty, "\(Record.self) encodes no columns")
    }

    /// The values of the primary key, or `nil` if all of them are `NULL`.
    var keyValues: [DatabaseValue]? {
        let values = shape.primaryKey.map(container.databaseValue(at:))
        return values.allSatisfy(\.isNull) ? nil : values
    }

    var key: [String: DatabaseValue] {
        Dictionary(
            shape.primaryKey.map { ($0, container.databaseValue(at: $0)) },
            uniquingKeysWith: { first, _ in first }
        )
    }

    var notFound: RecordError { .recordNotFound(databaseTableName: table, key: key) }

    func insert(
        _ resolution: Database.ConflictResolution,
        returning selection: [any SQLSelectable]?
    ) throws -> Statement {
        try statement(
            """
            INSERT\(resolution.clause) INTO \(table.quotedIdentifier) \
            (\(container.columns.identifierList)) VALUES (\(questionMarks(container.count)))
            """,
            values: container.values,
            selection: selection
        )
    }

    /// Returns the statement that inserts a row or updates the conflicting row.
    ///
    /// - Parameters:
    ///   - target: The columns of the unique key to check for a conflict, or an empty array to
    ///     check all keys.
    ///   - strategy: The strategy for updating the conflicting row.
    ///   - selection: The columns that the statement returns.
    /// - Returns: The statement with its arguments.
    /// - Throws: The error that SQLite reports.
    func upsert(
        onConflict target: [String],
        updating strategy: UpsertUpdateStrategy,
        returning selection: [any SQLSelectable]
    ) throws -> Statement {
        let keys = Set((shape.primaryKey + target).map { $0.identifierKey })
        let updated = container.columns.filter { column in
            strategy == .allColumns && !keys.contains(column.identifierKey)
        }
        var assignments = updated.map(\.quotedIdentifier)
            .map { "\($0) = \"excluded\".\($0)" }
            .joined(separator: ", ")
        if updated.isEmpty {
            // Without an assignment, the statement would return no row.
            let key = shape.primaryKey[0].quotedIdentifier
            assignments = "\(key) = \(key)"
        }
        return try statement(
            """
            INSERT INTO \(table.quotedIdentifier) (\(container.columns.identifierList)) \
            VALUES (\(questionMarks(container.count))) \
            ON CONFLICT\(target.isEmpty ? "" : "(\(target.identifierList))") \
            DO UPDATE SET \(assignments)
            """,
            values: container.values,
            selection: selection.isEmpty ? nil : selection
        )
    }

    /// Returns the statement that updates columns.
    ///
    /// The statement skips the primary key and any columns that are missing from the table or the
    /// record. If no column remains, the statement writes the existing key, so transaction
    /// observers are still notified of a change. If the primary key is `NULL`, this method throws
    /// an error.
    func update(
        _ resolution: Database.ConflictResolution,
        _ columns: Set<String>,
        returning selection: [any SQLSelectable]?
    ) throws -> Statement {
        guard let keyValues else { throw notFound }
        let wanted = Set(columns.map { $0.identifierKey })
        let keys = Set(shape.primaryKey.map { $0.identifierKey })
        var updated = shape.columns.filter { column in
            let name = column.identifierKey
            return wanted.contains(name) && !keys.contains(name) && container.contains(column)
        }
        if updated.isEmpty { updated = shape.primaryKey }
        let assignments = updated.map { "\($0.quotedIdentifier)=?" }.joined(separator: ", ")
        return try statement(
            """
            UPDATE\(resolution.clause) \(table.quotedIdentifier) SET \(assignments) \
            WHERE \(keyCondition)
            """,
            values: updated.map(container.databaseValue(at:)) + keyValues,
            selection: selection
        )
    }

    /// Returns the statement that deletes the row, or `nil` if the primary key is `NULL`.
    func delete() throws -> Statement? {
        guard let keyValues else { return nil }
        let sql = "DELETE FROM \(table.quotedIdentifier) WHERE \(keyCondition)"
        return try statement(sql, values: keyValues)
    }

    /// Returns the statement that checks for the row, or `nil` if the primary key is `NULL`.
    func existenceQuery() throws -> Statement? {
        guard let keyValues else { return nil }
        let sql = """
            SELECT EXISTS (SELECT 1 FROM \(table.quotedIdentifier) WHERE \(keyCondition))
            """
        return try statement(sql, values: keyValues)
    }

    private var keyCondition: String {
        shape.primaryKey.map { "\($0.quotedIdentifier)=?" }.joined(separator: " AND ")
    }

    private func statement(
        _ sql: String,
        values: [DatabaseValue],
        selection: [any SQLSelectable]? = nil
    ) throws -> Statement {
        var sql = sql
        if let selection {
            requirement(!selection.isEmpty, "the selection is empty")
            sql += " RETURNING \(try selection.selectionSQL())"
        }
        let statement = try db.cachedStatement(sql: sql)
        try statement.setArguments(StatementArguments(values: values))
        return statement
    }
}

/// An error that occurs when a record is missing from the database.
public enum RecordError: Error {
    /// No row in the table has the key.
    case recordNotFound(databaseTableName: String, key: [String: DatabaseValue])
}

extension RecordError: CustomStringConvertible {
    /// A description that contains the table and the key.
    public var description: String {
        switch self {
        case .recordNotFound(let table, let key):
            let values = key.sorted { $0.key < $1.key }
                .map { "\($0.key):\($0.value)" }
                .joined(separator: " ")
            return "Key not found in table \(table): [\(values)]"
        }
    }
}
