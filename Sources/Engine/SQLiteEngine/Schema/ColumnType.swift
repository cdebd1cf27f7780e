extension Database {
    /// A type in a column declaration, such as `INTEGER`.
    ///
    /// SQLite accepts any word and derives the affinity from it. See
    /// https://sqlite.org/datatype3.html, section 3.1.
    public struct ColumnType: RawRepresentable, Hashable, Sendable {
        /// The word in the declaration.
        public let rawValue: String

        /// Creates a type from the word in the declaration.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// `TEXT`.
        public static let text = ColumnType(rawValue: "TEXT")
        /// `INTEGER`.
        public static let integer = ColumnType(rawValue: "INTEGER")
        /// `DOUBLE`.
        public static let double = ColumnType(rawValue: "DOUBLE")
        /// `REAL`.
        public static let real = ColumnType(rawValue: "REAL")
        /// `NUMERIC`.
        public static let numeric = ColumnType(rawValue: "NUMERIC")
        /// `BOOLEAN`.
        public static let boolean = ColumnType(rawValue: "BOOLEAN")
        /// `BLOB`.
        public static let blob = ColumnType(rawValue: "BLOB")
        /// `DATE`.
        public static let date = ColumnType(rawValue: "DATE")
        /// `DATETIME`.
        public static let datetime = ColumnType(rawValue: "DATETIME")
        /// `ANY`, in a `STRICT` table.
        public static let any = ColumnType(rawValue: "ANY")
        /// `TEXT`, for a column that contains JSON.
        public static let jsonText = ColumnType(rawValue: "TEXT")
        /// `JSON`.
        public static let json = ColumnType(rawValue: "JSON")
        /// `BLOB`, for a column that contains SQLite's binary JSON.
        public static let jsonb = ColumnType(rawValue: "BLOB")
    }
}
