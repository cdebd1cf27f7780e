/// An index of a table.
public struct IndexInfo: Sendable {
    /// The reason why an index was created.
    public struct Origin: RawRepresentable, Hashable, DatabaseValueConvertible, Sendable {
        /// SQLite's abbreviation.
        public let rawValue: String

        /// Creates an origin from SQLite's abbreviation.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A `CREATE INDEX` statement.
        public static let createIndex = Origin(rawValue: "c")
        /// A `UNIQUE` constraint.
        public static let uniqueConstraint = Origin(rawValue: "u")
        /// A `PRIMARY KEY` constraint.
        public static let primaryKeyConstraint = Origin(rawValue: "pk")
    }

    /// The name of the index.
    public let name: String

    /// The names of the columns, in the order of the index.
    public let columns: [String]

    /// Whether no two rows can have the same values.
    public let isUnique: Bool

    /// The reason why the index was created.
    public let origin: Origin
}
