/// A foreign key of a table.
public struct ForeignKeyInfo: Sendable {
    /// The number of the key within the table, as reported by `PRAGMA foreign_key_check`.
    public let id: Int

    /// The name of the referenced table.
    public let destinationTable: String

    /// The pairs of a column in this table and the column that it references.
    public let mapping: [(origin: String, destination: String)]

    /// The columns in this table.
    public var originColumns: [String] { mapping.map(\.origin) }

    /// The referenced columns.
    public var destinationColumns: [String] { mapping.map(\.destination) }
}
