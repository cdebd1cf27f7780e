import CSQLite

/// Booleans are stored as 0 and 1.
///
/// A ``DatabaseValue`` is `true` if it is a nonzero number, and text cannot be converted. SQLite
/// converts the column of a statement to an integer first.
extension Bool: DatabaseValueConvertible, StatementColumnConvertible {
    /// The integer 0 or 1.
    @inlinable public var databaseValue: DatabaseValue {
        DatabaseValue(storage: .int64(self ? 1 : 0))
    }

    /// Creates the value from a number.
    ///
    /// Text cannot be converted, because SQLite's rules would produce unexpected results. For
    /// example, `'1english'` would be `true`.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Bool? {
        switch dbValue.storage {
        case .int64(let value): value != 0
        case .double(let value): value != 0
        default: nil
        }
    }

    /// Creates the value from a column, read as an integer.
    @inlinable
    public init(sqliteStatement: SQLiteStatement, index: CInt) {
        self = sqlite3_column_int64(sqliteStatement, index) != 0
    }

    /// Binds 0 or 1 to a parameter and returns an SQLite result code.
    @inlinable
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        sqlite3_bind_int64(sqliteStatement, index, self ? 1 : 0)
    }
}
