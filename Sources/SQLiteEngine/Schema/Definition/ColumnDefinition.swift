/// A column of a table that is being created or altered.
///
/// Every method returns the column, so that they can be chained:
///
/// ```swift
/// t.column("email", .text).notNull().unique(onConflict: .replace).collate(.nocase)
/// ```
public final class ColumnDefinition {
    /// Whether a generated column is stored with the row.
    public enum GeneratedColumnQualification: String, Sendable {
        /// It is computed when it is read.
        case virtual = "VIRTUAL"
        /// It is computed when the row is written, and kept.
        case stored = "STORED"
    }

    /// What a column has at most once, in the order of its SQL.
    private enum Clause: Int {
        case primaryKey, notNull, unique, defaultValue, collation, generated
    }

    /// The name.
    let name: String
    /// Whether an index of its own is created with it.
    private(set) var isIndexed = false

    private let type: Database.ColumnType?
    private var clauses: [Clause: SQL] = [:]
    /// Checks and foreign keys.
    private var constraints: [SQL] = []

    init(name: String, type: Database.ColumnType?) {
        self.name = name
        self.type = type
    }

    /// The column as it stands in `CREATE TABLE`.
    var sql: SQL {
        var parts: [SQL] = ["\(identifier: name)"]
        if let type { parts.append(SQL(sql: type.rawValue)) }
        parts += clauses.sorted { $0.key.rawValue < $1.key.rawValue }.map(\.value)
        parts += constraints
        return parts.joined(separator: " ")
    }

    /// Makes it the primary key.
    ///
    /// - Parameters:
    ///   - conflictResolution: What SQLite does with a row whose key is already there.
    ///   - autoincrement: Whether no number is given twice, for an `INTEGER` column.
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
        return set(.primaryKey, sql)
    }

    /// Forbids `NULL`.
    @discardableResult
    public func notNull(onConflict conflictResolution: Database.ConflictResolution? = nil) -> Self {
        set(.notNull, SQL(sql: "NOT NULL\(conflictResolution.onConflict)"))
    }

    /// Forbids that two rows have the same value, other than `NULL`.
    @discardableResult
    public func unique(onConflict conflictResolution: Database.ConflictResolution? = nil) -> Self {
        set(.unique, SQL(sql: "UNIQUE\(conflictResolution.onConflict)"))
    }

    /// Creates an index of the column, named `table_on_column`, along with it.
    ///
    /// A column that is unique has an index already, and gets no second one.
    @discardableResult
    public func indexed() -> Self {
        isIndexed = true
        return self
    }

    /// Whether an index has to be created.
    var needsIndex: Bool { isIndexed && clauses[.unique] == nil }

    /// Demands that an expression is not false; it gets the column.
    ///
    /// ```swift
    /// t.column("score", .integer).check { "\($0) >= 0" }
    /// ```
    @discardableResult
    public func check(_ condition: (Column) -> SQL) -> Self {
        constraints.append("CHECK (\(literal: condition(Column(name))))")
        return self
    }

    /// Demands that an SQL expression is not false.
    @discardableResult
    public func check(sql: String) -> Self {
        constraints.append("CHECK (\(sql: sql))")
        return self
    }

    /// Sets the value of rows that come without one.
    @discardableResult
    public func defaults(to value: some DatabaseValueConvertible) -> Self {
        set(.defaultValue, "DEFAULT \(SQL(value))")
    }

    /// Sets the value of rows that come without one, as SQL.
    ///
    /// - Parameter sql: A literal, `CURRENT_TIMESTAMP` and the like, or an expression in
    ///   parentheses.
    /// - Returns: The column.
    @discardableResult
    public func defaults(sql: String) -> Self { set(.defaultValue, "DEFAULT \(sql: sql)") }

    /// Sets the order of the column's texts.
    @discardableResult
    public func collate(_ collation: Database.CollationName) -> Self {
        set(.collation, "COLLATE \(sql: collation.rawValue)")
    }

    /// Sets the order of the column's texts.
    @discardableResult
    public func collate(_ collation: DatabaseCollation) -> Self {
        set(.collation, "COLLATE \(identifier: collation.name)")
    }

    /// Computes the column from others.
    ///
    /// See <https://sqlite.org/gencol.html>.
    @discardableResult
    public func generatedAs(
        sql: String,
        _ qualification: GeneratedColumnQualification = .virtual
    ) -> Self {
        generatedAs(SQL(sql: sql), qualification)
    }

    /// Computes the column from others.
    ///
    /// See <https://sqlite.org/gencol.html>.
    @discardableResult
    public func generatedAs(
        _ expression: SQL,
        _ qualification: GeneratedColumnQualification = .virtual
    ) -> Self {
        set(
            .generated,
            "GENERATED ALWAYS AS (\(literal: expression)) \(sql: qualification.rawValue)"
        )
    }

    /// Demands that another table has a row with the column's value, unless that is `NULL`.
    ///
    /// - Parameters:
    ///   - table: The other table, which may be created later.
    ///   - column: Its column; its primary key by default.
    ///   - deleteAction: What happens when the other row is deleted; by default that is refused.
    ///   - updateAction: What happens when the other row's key changes; by default that is refused.
    ///   - isDeferred: Whether it is looked at when the transaction is committed.
    /// - Returns: The column.
    @discardableResult
    public func references(
        _ table: String,
        column: String? = nil,
        onDelete deleteAction: Database.ForeignKeyAction? = nil,
        onUpdate updateAction: Database.ForeignKeyAction? = nil,
        deferred isDeferred: Bool = false
    ) -> Self {
        let reference = ForeignKeyReference(
            table: table,
            columns: column.map { [$0] },
            deleteAction: deleteAction,
            updateAction: updateAction,
            isDeferred: isDeferred
        )
        constraints.append(reference.sql)
        return self
    }

    private func set(_ clause: Clause, _ sql: SQL) -> Self {
        clauses[clause] = sql
        return self
    }
}

@available(*, unavailable)
extension ColumnDefinition: Sendable {}

/// What a foreign key refers to.
struct ForeignKeyReference {
    let table: String
    let columns: [String]?
    let deleteAction: Database.ForeignKeyAction?
    let updateAction: Database.ForeignKeyAction?
    let isDeferred: Bool

    var sql: SQL {
        var sql: SQL = "REFERENCES \(identifier: table)"
        // Without columns SQLite takes the primary key, whatever it is when it is needed.
        if let columns { sql += "(\(sql: columns.identifierList))" }
        if let deleteAction { sql += " ON DELETE \(sql: deleteAction.rawValue)" }
        if let updateAction { sql += " ON UPDATE \(sql: updateAction.rawValue)" }
        if isDeferred { sql += " DEFERRABLE INITIALLY DEFERRED" }
        return sql
    }
}

extension Database.ConflictResolution? {
    /// What stands behind a constraint.
    var onConflict: String { map { " ON CONFLICT \($0.rawValue)" } ?? "" }
}

extension [String] {
    /// Names in double quotes, with commas.
    var identifierList: String { map(\.quotedIdentifier).joined(separator: ", ") }
}
