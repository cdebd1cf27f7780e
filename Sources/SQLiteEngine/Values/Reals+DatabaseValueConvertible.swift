import CSQLite

extension Double: DatabaseValueConvertible, StatementColumnConvertible {
    /// The value as a real.
    ///
    /// SQLite stores NaN as `NULL`.
    @inlinable public var databaseValue: DatabaseValue {
        DatabaseValue(storage: .double(self))
    }

    /// Creates the value from a number.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Double? {
        switch dbValue.storage {
        case .int64(let value): Double(value)
        case .double(let value): value
        default: nil
        }
    }

    /// Reads a column as a real.
    @inlinable
    public init(sqliteStatement: SQLiteStatement, index: CInt) {
        self = sqlite3_column_double(sqliteStatement, index)
    }

    /// Binds the value to a parameter and returns an SQLite result code.
    @inlinable
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        sqlite3_bind_double(sqliteStatement, index, self)
    }
}

extension Float: DatabaseValueConvertible, StatementColumnConvertible {
    /// The value as a real.
    ///
    /// SQLite stores NaN as `NULL`.
    @inlinable public var databaseValue: DatabaseValue {
        DatabaseValue(storage: .double(Double(self)))
    }

    /// Creates the value from a number.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Float? {
        switch dbValue.storage {
        case .int64(let value): Float(value)
        case .double(let value): Float(value)
        default: nil
        }
    }

    /// Reads a column as a real.
    @inlinable
    public init(sqliteStatement: SQLiteStatement, index: CInt) {
        self = Float(sqlite3_column_double(sqliteStatement, index))
    }

    /// Binds the value to a parameter and returns an SQLite result code.
    @inlinable
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        sqlite3_bind_double(sqliteStatement, index, Double(self))
    }
}
