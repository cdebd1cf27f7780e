/// A foreign key of a table.
public struct ForeignKeyInfo: Sendable {
    /// Its number among the keys of the table, as `PRAGMA foreign_key_check` tells it.
    public let id: Int

    /// The table that is referred to.
    public let destinationTable: String

    /// Each column with the one that it refers to.
    public let mapping: [(origin: String, destination: String)]

    /// The columns of the table itself.
    public var originColumns: [String] { mapping.map(\.origin) }

    /// The columns that are referred to.
    public var destinationColumns: [String] { mapping.map(\.destination) }
}
