extension Database {
    /// The declared type of a column.
    public struct ColumnType: RawRepresentable, Hashable, Sendable {
        /// The SQL of the type.
        public let rawValue: String

        /// Creates a type from its SQL.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// Texts.
        public static let text = ColumnType(rawValue: "TEXT")
        /// Integers.
        public static let integer = ColumnType(rawValue: "INTEGER")
        /// Reals.
        public static let double = ColumnType(rawValue: "DOUBLE")
        /// Numbers.
        public static let numeric = ColumnType(rawValue: "NUMERIC")
        /// Booleans, stored as 0 and 1.
        public static let boolean = ColumnType(rawValue: "BOOLEAN")
        /// Bytes.
        public static let blob = ColumnType(rawValue: "BLOB")
        /// Dates without a time.
        public static let date = ColumnType(rawValue: "DATE")
        /// Dates with a time.
        public static let datetime = ColumnType(rawValue: "DATETIME")
        /// Anything, as it comes; the only such type in a `STRICT` table.
        public static let any = ColumnType(rawValue: "ANY")
    }
}
