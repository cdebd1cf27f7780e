/// The options for creating a table.
public struct TableOptions: OptionSet, Sendable {
    /// The options as bits.
    public let rawValue: Int

    /// Creates options from bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Keeps an existing table with the same name instead of failing.
    public static let ifNotExists = TableOptions(rawValue: 1)
    /// The table belongs to the connection and is removed when the connection closes.
    public static let temporary = TableOptions(rawValue: 2)
    /// Rows are stored by primary key.
    ///
    /// See <https://sqlite.org/withoutrowid.html>.
    public static let withoutRowID = TableOptions(rawValue: 4)
    /// Values must have the type of their column.
    ///
    /// See <https://sqlite.org/stricttables.html>.
    public static let strict = TableOptions(rawValue: 8)
}

/// The options for creating an index.
public struct IndexOptions: OptionSet, Sendable {
    /// The options as bits.
    public let rawValue: Int

    /// Creates options from bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Keeps an existing index with the same name instead of failing.
    public static let ifNotExists = IndexOptions(rawValue: 1)
    /// No two rows can have the same values.
    public static let unique = IndexOptions(rawValue: 2)
}

extension Database {
    /// The effect on referring rows when the referenced row is deleted or its key changes.
    ///
    /// See <https://sqlite.org/foreignkeys.html#fk_actions>.
    public enum ForeignKeyAction: String, Sendable {
        /// The referring rows are deleted, or their keys are updated.
        case cascade = "CASCADE"
        /// The change fails, even if the check is deferred.
        case restrict = "RESTRICT"
        /// The references are set to `NULL`.
        case setNull = "SET NULL"
        /// The references are set to the default value of the column.
        case setDefault = "SET DEFAULT"
    }

    /// The name of a collation.
    public struct CollationName: RawRepresentable, Hashable, Sendable {
        /// The name in SQL.
        public let rawValue: String

        /// Creates a collation name from the name in SQL.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Compares bytes.
        ///
        /// SQLite's default.
        public static let binary = CollationName(rawValue: "BINARY")
        /// Compares text, ignoring the case of ASCII letters.
        public static let nocase = CollationName(rawValue: "NOCASE")
        /// Compares bytes, ignoring trailing spaces.
        public static let rtrim = CollationName(rawValue: "RTRIM")
    }
}
