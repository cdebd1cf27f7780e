/// A column of a table or a view, as SQLite tells it.
///
/// See <https://sqlite.org/pragma.html#pragma_table_xinfo>.
public struct ColumnInfo: FetchableRecord, Sendable {
    /// The name, as the schema spells it.
    public let name: String

    /// The declared type; empty when there is none.
    public let type: String

    /// The declared type; nil when there is none.
    public var columnType: Database.ColumnType? {
        type.isEmpty ? nil : Database.ColumnType(rawValue: type)
    }

    /// Whether the column is declared `NOT NULL`.
    public let isNotNull: Bool

    /// The default value as SQL, such as `'none'`; nil when there is none.
    public let defaultValueSQL: String?

    /// The column's place in the primary key, from 1; 0 when it is no part of it.
    public let primaryKeyIndex: Int

    /// Creates it from a row of `pragma_table_xinfo`.
    public init(row: Row) {
        name = row["name"]
        type = row["type"]
        isNotNull = row["notnull"]
        defaultValueSQL = row["dflt_value"]
        primaryKeyIndex = row["pk"]
    }
}
