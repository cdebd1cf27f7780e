import CSQLite

/// A protocol that provides the default conversions for floating-point types.
///
/// The protocol includes `Codable`, so these defaults take precedence over the defaults for
/// `Codable` types, which store a value as JSON.
@usableFromInline
protocol DatabaseReal: BinaryFloatingPoint, Codable, DatabaseValueConvertible,
    StatementColumnConvertible
{}

extension DatabaseReal {
    /// The value as a real.
    ///
    /// SQLite stores NaN as `NULL`.
    @inlinable public var databaseValue: DatabaseValue {
        DatabaseValue(storage: .double(Double(self)))
    }

    /// Creates the value from a number.
    @inlinable
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        switch dbValue.storage {
        case .int64(let value): Self(value)
        case .double(let value): Self(value)
        default: nil
        }
    }

    /// Reads a column, or returns `nil` for `NULL`.
    @inlinable
    @inline(__always)
    public static func fromStatement(
        _ sqliteStatement: SQLiteStatement,
        atUncheckedIndex index: CInt
    ) -> Self? {
        // SQLite returns 0 for `NULL`.
        let value = sqlite3_column_double(sqliteStatement, index)
        if value != 0 { return Self(value) }
        return sqlite3_column_type(sqliteStatement, index) == SQLITE_NULL ? nil : Self(value)
    }

    /// Binds the value to a parameter and returns an SQLite result code.
    @inlinable
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        sqlite3_bind_double(sqliteStatement, index, Double(self))
    }
}

extension Double: DatabaseValueConvertible, StatementColumnConvertible, DatabaseReal {
    /// Creates the value from a column, read as a real.
    @inlinable
    public init(sqliteStatement: SQLiteStatement, index: CInt) {
        self = sqlite3_column_double(sqliteStatement, index)
    }
}

extension Float: DatabaseValueConvertible, StatementColumnConvertible, DatabaseReal {
    /// Creates the value from a column, read as a real.
    @inlinable
    public init(sqliteStatement: SQLiteStatement, index: CInt) {
        self = Float(sqlite3_column_double(sqliteStatement, index))
    }
}
