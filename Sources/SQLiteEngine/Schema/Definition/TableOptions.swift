/// How a table is created.
public struct TableOptions: OptionSet, Sendable {
    /// The options as bits.
    public let rawValue: Int

    /// Creates options from bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// A table of that name that is there already is no error, and stays as it is.
    public static let ifNotExists = TableOptions(rawValue: 1)
    /// The table belongs to the connection, and goes with it.
    public static let temporary = TableOptions(rawValue: 2)
    /// Rows are stored under their primary key.
    ///
    /// See <https://sqlite.org/withoutrowid.html>.
    public static let withoutRowID = TableOptions(rawValue: 4)
    /// Values must be of their column's type.
    ///
    /// See <https://sqlite.org/stricttables.html>.
    public static let strict = TableOptions(rawValue: 8)
}

/// How an index is created.
public struct IndexOptions: OptionSet, Sendable {
    /// The options as bits.
    public let rawValue: Int

    /// Creates options from bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// An index of that name that is there already is no error, and stays as it is.
    public static let ifNotExists = IndexOptions(rawValue: 1)
    /// No two rows may have the same values.
    public static let unique = IndexOptions(rawValue: 2)
}

extension Database {
    /// What becomes of rows when the row that they refer to is deleted, or gets another key.
    ///
    /// See <https://sqlite.org/foreignkeys.html#fk_actions>.
    public enum ForeignKeyAction: String, Sendable {
        /// They are deleted, or follow.
        case cascade = "CASCADE"
        /// The change is refused, also where the check is deferred.
        case restrict = "RESTRICT"
        /// They refer to nothing any more.
        case setNull = "SET NULL"
        /// They refer to the column's default value.
        case setDefault = "SET DEFAULT"
    }

    /// The name of a collation.
    public struct CollationName: RawRepresentable, Hashable, Sendable {
        /// The name in SQL.
        public let rawValue: String

        /// Creates it from the name in SQL.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Compares bytes; what SQLite does by default.
        public static let binary = CollationName(rawValue: "BINARY")
        /// Compares the letters of ASCII without their case.
        public static let nocase = CollationName(rawValue: "NOCASE")
        /// Compares bytes, without spaces at the end.
        public static let rtrim = CollationName(rawValue: "RTRIM")
    }
}
