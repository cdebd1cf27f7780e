/// A column of a table or a view, as reported by SQLite.
///
/// See <https://sqlite.org/pragma.html#pragma_table_xinfo>.
public struct ColumnInfo: FetchableRecord, Sendable {
    /// The name, as spelled in the schema.
    public let name: String

    /// The declared type, or an empty string if there is none.
    public let type: String

    /// The declared type, or `nil` if there is none.
    public var columnType: Database.ColumnType? {
        type.isEmpty ? nil : Database.ColumnType(rawValue: type)
    }

    /// Whether the column is declared `NOT NULL`.
    public let isNotNull: Bool

    /// The default value as SQL, such as `'none'`, or `nil` if there is none.
    public let defaultValueSQL: String?

    /// The column's position in the primary key, starting at 1, or 0 if the column is not part of
    /// the key.
    public let primaryKeyIndex: Int

    /// Creates column information from a row of `pragma_table_xinfo`.
    public init(row: Row) {
        name = row["name"]
        type = row["type"]
        isNotNull = row["notnull"]
        defaultValueSQL = row["dflt_value"]
        primaryKeyIndex = row["pk"]
    }
}
