/// A foreign key of a table.
public struct ForeignKeyInfo: Sendable {
    /// The number of the key within the table, as reported by `PRAGMA foreign_key_check`.
    public let id: Int

    /// The name of the table that the key refers to.
    public let destinationTable: String

    /// Pairs of a column of this table and the column that it refers to.
    public let mapping: [(origin: String, destination: String)]

    /// The columns of this table.
    public var originColumns: [String] { mapping.map(\.origin) }

    /// The columns that the key refers to.
    public var destinationColumns: [String] { mapping.map(\.destination) }
}
