/// An index of a table.
public struct IndexInfo: Sendable {
    /// The statement or constraint that created an index.
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

    /// Whether the index is unique.
    public let isUnique: Bool

    /// The statement or constraint that created the index.
    public let origin: Origin
}
