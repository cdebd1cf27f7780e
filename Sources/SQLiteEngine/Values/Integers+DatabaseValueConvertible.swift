import CSQLite

// Integers are stored as `Int64`. An integer that does not fit in its type is an error and is never
// truncated. As in SQLite, a real is truncated to its integer part.

extension Int: DatabaseValueConvertible, StatementColumnConvertible {
    /// The value as an integer.
    @inlinable public var databaseValue: DatabaseValue {
        DatabaseValue(storage: .int64(Int64(self)))
    }

    /// Creates the value from a number, or returns `nil` if it is out of range.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Int? {
        Int64.fromDatabaseValue(dbValue).flatMap { Int(exactly: $0) }
    }

    /// Reads a column, or returns `nil` if the integer is out of range.
    @inlinable
    @inline(__always)
    public init?(sqliteStatement: SQLiteStatement, index: CInt) {
        self.init(exactly: sqlite3_column_int64(sqliteStatement, index))
    }

    /// Binds the value to a parameter and returns an SQLite result code.
    @inlinable
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        sqlite3_bind_int64(sqliteStatement, index, Int64(self))
    }
}

extension Int8: DatabaseValueConvertible, StatementColumnConvertible {
    /// The value as an integer.
    @inlinable public var databaseValue: DatabaseValue {
        DatabaseValue(storage: .int64(Int64(self)))
    }

    /// Creates the value from a number, or returns `nil` if it is out of range.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Int8? {
        Int64.fromDatabaseValue(dbValue).flatMap { Int8(exactly: $0) }
    }

    /// Reads a column, or returns `nil` if the integer is out of range.
    @inlinable
    @inline(__always)
    public init?(sqliteStatement: SQLiteStatement, index: CInt) {
        self.init(exactly: sqlite3_column_int64(sqliteStatement, index))
    }

    /// Binds the value to a parameter and returns an SQLite result code.
    @inlinable
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        sqlite3_bind_int64(sqliteStatement, index, Int64(self))
    }
}

extension Int16: DatabaseValueConvertible, StatementColumnConvertible {
    /// The value as an integer.
    @inlinable public var databaseValue: DatabaseValue {
        DatabaseValue(storage: .int64(Int64(self)))
    }

    /// Creates the value from a number, or returns `nil` if it is out of range.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Int16? {
        Int64.fromDatabaseValue(dbValue).flatMap { Int16(exactly: $0) }
    }

    /// Reads a column, or returns `nil` if the integer is out of range.
    @inlinable
    @inline(__always)
    public init?(sqliteStatement: SQLiteStatement, index: CInt) {
        self.init(exactly: sqlite3_column_int64(sqliteStatement, index))
    }

    /// Binds the value to a parameter and returns an SQLite result code.
    @inlinable
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        sqlite3_bind_int64(sqliteStatement, index, Int64(self))
    }
}

extension Int32: DatabaseValueConvertible, StatementColumnConvertible {
    /// The value as an integer.
    @inlinable public var databaseValue: DatabaseValue {
        DatabaseValue(storage: .int64(Int64(self)))
    }

    /// Creates the value from a number, or returns `nil` if it is out of range.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Int32? {
        Int64.fromDatabaseValue(dbValue).flatMap { Int32(exactly: $0) }
    }

    /// Reads a column, or returns `nil` if the integer is out of range.
    @inlinable
    @inline(__always)
    public init?(sqliteStatement: SQLiteStatement, index: CInt) {
        self.init(exactly: sqlite3_column_int64(sqliteStatement, index))
    }

    /// Binds the value to a parameter and returns an SQLite result code.
    @inlinable
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        sqlite3_bind_int64(sqliteStatement, index, Int64(self))
    }
}

extension Int64: DatabaseValueConvertible, StatementColumnConvertible {
    /// The value as an integer.
    @inlinable public var databaseValue: DatabaseValue { DatabaseValue(storage: .int64(self)) }

    /// Creates the value from an integer, or from the integer part of a real, if in range.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Int64? {
        switch dbValue.storage {
        case .int64(let value):
            return value
        case .double(let value):
            // `Double(Int64.max)` is 2^63, one greater than the largest value.
            guard value >= Double(Int64.min), value < Double(Int64.max) else { return nil }
            return Int64(value)
        default:
            return nil
        }
    }

    /// Reads a column as an integer.
    @inlinable
    public init(sqliteStatement: SQLiteStatement, index: CInt) {
        self = sqlite3_column_int64(sqliteStatement, index)
    }

    /// Binds the value to a parameter and returns an SQLite result code.
    @inlinable
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        sqlite3_bind_int64(sqliteStatement, index, self)
    }
}

extension UInt: DatabaseValueConvertible, StatementColumnConvertible {
    /// The value as an integer.
    ///
    /// A value above `Int64.max` is a fatal error.
    @inlinable public var databaseValue: DatabaseValue {
        DatabaseValue(storage: .int64(Int64(self)))
    }

    /// Creates the value from a number, or returns `nil` if it is out of range.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> UInt? {
        Int64.fromDatabaseValue(dbValue).flatMap { UInt(exactly: $0) }
    }

    /// Reads a column, or returns `nil` if the integer is out of range.
    @inlinable
    @inline(__always)
    public init?(sqliteStatement: SQLiteStatement, index: CInt) {
        self.init(exactly: sqlite3_column_int64(sqliteStatement, index))
    }

    /// Binds the value to a parameter and returns an SQLite result code.
    @inlinable
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        sqlite3_bind_int64(sqliteStatement, index, Int64(self))
    }
}

extension UInt8: DatabaseValueConvertible, StatementColumnConvertible {
    /// The value as an integer.
    @inlinable public var databaseValue: DatabaseValue {
        DatabaseValue(storage: .int64(Int64(self)))
    }

    /// Creates the value from a number, or returns `nil` if it is out of range.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> UInt8? {
        Int64.fromDatabaseValue(dbValue).flatMap { UInt8(exactly: $0) }
    }

    /// Reads a column, or returns `nil` if the integer is out of range.
    @inlinable
    @inline(__always)
    public init?(sqliteStatement: SQLiteStatement, index: CInt) {
        self.init(exactly: sqlite3_column_int64(sqliteStatement, index))
    }

    /// Binds the value to a parameter and returns an SQLite result code.
    @inlinable
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        sqlite3_bind_int64(sqliteStatement, index, Int64(self))
    }
}

extension UInt16: DatabaseValueConvertible, StatementColumnConvertible {
    /// The value as an integer.
    @inlinable public var databaseValue: DatabaseValue {
        DatabaseValue(storage: .int64(Int64(self)))
    }

    /// Creates the value from a number, or returns `nil` if it is out of range.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> UInt16? {
        Int64.fromDatabaseValue(dbValue).flatMap { UInt16(exactly: $0) }
    }

    /// Reads a column, or returns `nil` if the integer is out of range.
    @inlinable
    @inline(__always)
    public init?(sqliteStatement: SQLiteStatement, index: CInt) {
        self.init(exactly: sqlite3_column_int64(sqliteStatement, index))
    }

    /// Binds the value to a parameter and returns an SQLite result code.
    @inlinable
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        sqlite3_bind_int64(sqliteStatement, index, Int64(self))
    }
}

extension UInt32: DatabaseValueConvertible, StatementColumnConvertible {
    /// The value as an integer.
    @inlinable public var databaseValue: DatabaseValue {
        DatabaseValue(storage: .int64(Int64(self)))
    }

    /// Creates the value from a number, or returns `nil` if it is out of range.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> UInt32? {
        Int64.fromDatabaseValue(dbValue).flatMap { UInt32(exactly: $0) }
    }

    /// Reads a column, or returns `nil` if the integer is out of range.
    @inlinable
    @inline(__always)
    public init?(sqliteStatement: SQLiteStatement, index: CInt) {
        self.init(exactly: sqlite3_column_int64(sqliteStatement, index))
    }

    /// Binds the value to a parameter and returns an SQLite result code.
    @inlinable
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        sqlite3_bind_int64(sqliteStatement, index, Int64(self))
    }
}

extension UInt64: DatabaseValueConvertible, StatementColumnConvertible {
    /// The value as an integer.
    ///
    /// A value above `Int64.max` is a fatal error.
    @inlinable public var databaseValue: DatabaseValue {
        DatabaseValue(storage: .int64(Int64(self)))
    }

    /// Creates the value from a number, or returns `nil` if it is out of range.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> UInt64? {
        Int64.fromDatabaseValue(dbValue).flatMap { UInt64(exactly: $0) }
    }

    /// Reads a column, or returns `nil` if the integer is out of range.
    @inlinable
    @inline(__always)
    public init?(sqliteStatement: SQLiteStatement, index: CInt) {
        self.init(exactly: sqlite3_column_int64(sqliteStatement, index))
    }

    /// Binds the value to a parameter and returns an SQLite result code.
    @inlinable
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        sqlite3_bind_int64(sqliteStatement, index, Int64(self))
    }
}
