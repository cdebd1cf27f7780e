import CSQLite

/// A column of a table that is being created or altered.
///
/// Each method returns the column, so you can chain calls:
///
/// ```swift
/// t.column("email", .text).notNull().unique(onConflict: .replace).collate(.nocase)
/// ```
public final class ColumnDefinition {
    /// The storage of a generated column.
    public enum GeneratedColumnQualification: String, Sendable {
        /// SQLite computes the value when it reads the row.
        case virtual = "VIRTUAL"
        /// SQLite computes and stores the value when it writes the row.
        case stored = "STORED"
    }

    /// The kinds of clauses, in their order in SQL.
    ///
    /// The text of a definition is the same as with GRDB, so that migrators of either library find
    /// no change in a schema that the other has created.
    private enum Clause: Int, CaseIterable {
        case primaryKey, notNull, unique, check, defaultValue, collation, reference, generated
    }

    let name: String
    private(set) var isIndexed = false

    private let type: Database.ColumnType?
    private var clauses: [Clause: [SQL]] = [:]
    private var references: [ForeignKeyReference] = []

    init(name: String, type: Database.ColumnType?) {
        self.name = name
        self.type = type
    }

    /// Returns the SQL of the column.
    ///
    /// - Parameter keys: The keys that the column may reference.
    /// - Returns: The name, the type, and the clauses.
    /// - Throws: A ``DatabaseError`` if a referenced key cannot be read.
    func sql(_ keys: ReferencedKeys) throws -> SQL {
        var parts: [SQL] = ["\(identifier: name)"]
        if let type { parts.append(SQL(sql: type.rawValue)) }
        for clause in Clause.allCases {
            parts += clauses[clause] ?? []
            if clause == .reference { parts += try references.map { try $0.sql(keys) } }
        }
        return parts.joined(separator: " ")
    }

    var key: ReferencedKeys.Column { ReferencedKeys.Column(name: name, type: type) }

    var isPrimaryKey: Bool { clauses[.primaryKey] != nil }

    /// Makes the column the primary key.
    ///
    /// - Parameters:
    ///   - conflictResolution: How SQLite resolves a conflict with an existing key.
    ///   - autoincrement: Whether SQLite never reuses the values of deleted rows. Applies only to
    ///     an `INTEGER` column.
    /// - Returns: The column.
    @discardableResult
    public func primaryKey(
        onConflict conflictResolution: Database.ConflictResolution? = nil,
        autoincrement: Bool = false
    ) -> Self {
        let sql = SQL(
            sql:
                "PRIMARY KEY\(conflictResolution.onConflict)\(autoincrement ? " AUTOINCREMENT" : "")"
        )
        return set(.primaryKey, sql: sql)
    }

    /// Adds a `NOT NULL` constraint.
    @discardableResult
    public func notNull(onConflict conflictResolution: Database.ConflictResolution? = nil) -> Self {
        set(.notNull, sql: SQL(sql: "NOT NULL\(conflictResolution.onConflictUnlessAbort)"))
    }

    /// Adds a `UNIQUE` constraint.
    ///
    /// Multiple rows can contain `NULL`.
    @discardableResult
    public func unique(onConflict conflictResolution: Database.ConflictResolution? = nil) -> Self {
        set(.unique, sql: SQL(sql: "UNIQUE\(conflictResolution.onConflictUnlessAbort)"))
    }

    /// Creates an index on the column, named `table_on_column`.
    ///
    /// This method has no effect on a unique column, which already has an index.
    @discardableResult
    public func indexed() -> Self {
        isIndexed = true
        return self
    }

    var needsIndex: Bool { isIndexed && clauses[.unique] == nil }

    /// Adds a `CHECK` constraint that applies an expression to the column.
    ///
    /// ```swift
    /// t.column("score", .integer).check { "\($0) >= 0" }
    /// ```
    @discardableResult
    public func check(_ condition: (Column) -> SQL) -> Self {
        clauses[.check, default: []].append("CHECK (\(literal: condition(Column(name))))")
        return self
    }

    /// Adds a `CHECK` constraint that is defined in SQL.
    @discardableResult
    public func check(sql: String) -> Self {
        clauses[.check, default: []].append("CHECK (\(sql: sql))")
        return self
    }

    /// Sets the default value of the column.
    @discardableResult
    public func defaults(to value: some DatabaseValueConvertible) -> Self {
        set(.defaultValue, sql: "DEFAULT \(SQL(value))")
    }

    /// Sets the default value of the column, as SQL.
    ///
    /// - Parameter sql: A literal, a keyword such as `CURRENT_TIMESTAMP`, or an expression in
    ///   parentheses.
    /// - Returns: The column.
    @discardableResult
    public func defaults(sql: String) -> Self { set(.defaultValue, sql: "DEFAULT \(sql: sql)") }

    /// Sets the collation of the column.
    @discardableResult
    public func collate(_ collation: Database.CollationName) -> Self {
        set(.collation, sql: "COLLATE \(sql: collation.rawValue)")
    }

    /// Sets the collation of the column.
    @discardableResult
    public func collate(_ collation: DatabaseCollation) -> Self {
        // The name is quoted only if it must be, so that the text is the same as with GRDB.
        let name = collation.name
        let isWord =
            name.wholeMatch(of: /[A-Za-z_][A-Za-z0-9_$]*/) != nil
            && sqlite3_keyword_check(name, CInt(name.utf8.count)) == 0
        return set(.collation, sql: "COLLATE \(sql: isWord ? name : name.quotedIdentifier)")
    }

    /// Makes the column a generated column, which is computed from other columns.
    ///
    /// See <https://sqlite.org/gencol.html>.
    @discardableResult
    public func generatedAs(
        sql: String,
        _ qualification: GeneratedColumnQualification = .virtual
    ) -> Self {
        generatedAs(SQL(sql: sql), qualification)
    }

    /// Makes the column a generated column, which is computed from other columns.
    ///
    /// See <https://sqlite.org/gencol.html>.
    @discardableResult
    public func generatedAs(
        _ expression: SQL,
        _ qualification: GeneratedColumnQualification = .virtual
    ) -> Self {
        set(
            .generated,
            sql: "GENERATED ALWAYS AS (\(literal: expression)) \(sql: qualification.rawValue)"
        )
    }

    /// Adds a foreign key that references another table.
    ///
    /// - Parameters:
    ///   - table: The referenced table, which you can create later.
    ///   - column: The referenced column, or `nil` for the primary key of the referenced table.
    ///   - deleteAction: The action when the referenced row is deleted, or `nil` to prevent the
    ///     deletion.
    ///   - updateAction: The action when the referenced key changes, or `nil` to prevent the
    ///     change.
    ///   - isDeferred: Whether SQLite checks the constraint only when the transaction commits.
    /// - Returns: The column.
    @discardableResult
    public func references(
        _ table: String,
        column: String? = nil,
        onDelete deleteAction: Database.ForeignKeyAction? = nil,
        onUpdate updateAction: Database.ForeignKeyAction? = nil,
        deferred isDeferred: Bool = false
    ) -> Self {
        references(
            ForeignKeyReference(
                table: table,
                columns: column.map { [$0] },
                deleteAction: deleteAction,
                updateAction: updateAction,
                isDeferred: isDeferred
            )
        )
    }

    @discardableResult
    func references(_ reference: ForeignKeyReference) -> Self {
        references.append(reference)
        return self
    }

    private func set(_ clause: Clause, sql: SQL) -> Self {
        clauses[clause] = [sql]
        return self
    }
}

@available(*, unavailable)
extension ColumnDefinition: Sendable {}

extension Database.ConflictResolution? {
    var onConflict: String { map { " ON CONFLICT \($0.rawValue)" } ?? "" }

    /// The clause, or an empty string for SQLite's default.
    var onConflictUnlessAbort: String { self == .abort ? "" : onConflict }
}

extension [String] {
    var identifierList: String { map(\.quotedIdentifier).joined(separator: ", ") }
}
