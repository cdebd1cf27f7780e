/// The options for creating a table.
public struct TableOptions: OptionSet, Sendable {
    /// The options as bits.
    public let rawValue: Int

    /// Creates options from bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// An option to keep an existing table with the same name instead of failing.
    public static let ifNotExists = TableOptions(rawValue: 1)
    /// An option to create a temporary table, which is removed when the connection closes.
    public static let temporary = TableOptions(rawValue: 2)
    /// An option to store rows by primary key, without a rowid.
    ///
    /// See <https://sqlite.org/withoutrowid.html>.
    public static let withoutRowID = TableOptions(rawValue: 4)
    /// An option to require values to have the type of their column.
    ///
    /// See <https://sqlite.org/stricttables.html>.
    public static let strict = TableOptions(rawValue: 8)
}

/// The options for creating a view.
public struct ViewOptions: OptionSet, Sendable {
    /// The options as bits.
    public let rawValue: Int

    /// Creates options from bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// An option to keep an existing view with the same name instead of failing.
    public static let ifNotExists = ViewOptions(rawValue: 1)
    /// An option to create a temporary view, which is removed when the connection closes.
    public static let temporary = ViewOptions(rawValue: 2)
}

/// The options for creating an index.
public struct IndexOptions: OptionSet, Sendable {
    /// The options as bits.
    public let rawValue: Int

    /// Creates options from bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// An option to keep an existing index with the same name instead of failing.
    public static let ifNotExists = IndexOptions(rawValue: 1)
    /// An option to prevent two rows from having the same values.
    public static let unique = IndexOptions(rawValue: 2)
}

extension Database {
    /// The action on referencing rows when the referenced row is deleted or its key changes.
    ///
    /// See <https://sqlite.org/foreignkeys.html#fk_actions>.
    public enum ForeignKeyAction: String, Sendable {
        /// The referencing rows are deleted, or their foreign keys are updated.
        case cascade = "CASCADE"
        /// The change fails, even if the check is deferred.
        case restrict = "RESTRICT"
        /// The foreign keys are set to `NULL`.
        case setNull = "SET NULL"
        /// The foreign keys are set to the default value of the column.
        case setDefault = "SET DEFAULT"
    }

    /// The name of a collation.
    public struct CollationName: RawRepresentable, Hashable, Sendable {
        /// The name in SQL.
        public let rawValue: String

        /// Creates a collation name from the name in SQL.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// SQLite's default collation, which compares bytes.
        public static let binary = CollationName(rawValue: "BINARY")
        /// The collation that ignores the case of ASCII letters.
        public static let nocase = CollationName(rawValue: "NOCASE")
        /// The collation that compares bytes and ignores trailing spaces.
        public static let rtrim = CollationName(rawValue: "RTRIM")
    }
}
