import CSQLite

// Integers are stored as `Int64`. An integer that does not fit in the destination type is an error
// and is never truncated. As in SQLite, a real is truncated to its integer part.

/// A protocol that provides the default conversions for integer types.
///
/// The protocol includes `Codable`, so these defaults take precedence over the defaults for
/// `Codable` types, which store a value as JSON.
@usableFromInline
protocol DatabaseInteger: FixedWidthInteger, Codable, DatabaseValueConvertible,
    StatementColumnConvertible
{}

extension DatabaseInteger {
    /// The value as an integer.
    ///
    /// It is a fatal error if the value exceeds `Int64.max`.
    @inlinable public var databaseValue: DatabaseValue {
        DatabaseValue(storage: .int64(Int64(self)))
    }

    /// Creates the value from an integer, or from the integer part of a real.
    ///
    /// The result is `nil` if the number is out of range.
    @inlinable
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        switch dbValue.storage {
        case .int64(let value):
            return Self(exactly: value)
        case .double(let value):
            // `Double(Int64.max)` is 2^63, one greater than the largest value.
            guard value >= Double(Int64.min), value < Double(Int64.max) else { return nil }
            return Self(exactly: Int64(value))
        default:
            return nil
        }
    }

    /// Creates the value from a column, or returns `nil` if the integer is out of range.
    @inlinable
    @inline(__always)
    public init?(sqliteStatement: SQLiteStatement, index: CInt) {
        self.init(exactly: sqlite3_column_int64(sqliteStatement, index))
    }

    /// Reads a column, or returns `nil` if the value is `NULL` or out of range.
    @inlinable
    @inline(__always)
    public static func fromStatement(
        _ sqliteStatement: SQLiteStatement,
        atUncheckedIndex index: CInt
    ) -> Self? {
        // SQLite returns 0 for `NULL`.
        let value = sqlite3_column_int64(sqliteStatement, index)
        if value != 0 { return Self(exactly: value) }
        return sqlite3_column_type(sqliteStatement, index) == SQLITE_NULL ? nil : 0
    }

    /// Binds the value to a parameter and returns an SQLite result code.
    @inlinable
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        sqlite3_bind_int64(sqliteStatement, index, Int64(self))
    }
}

extension Int: DatabaseValueConvertible, StatementColumnConvertible, DatabaseInteger {}
extension Int8: DatabaseValueConvertible, StatementColumnConvertible, DatabaseInteger {}
extension Int16: DatabaseValueConvertible, StatementColumnConvertible, DatabaseInteger {}
extension Int32: DatabaseValueConvertible, StatementColumnConvertible, DatabaseInteger {}
extension UInt: DatabaseValueConvertible, StatementColumnConvertible, DatabaseInteger {}
extension UInt8: DatabaseValueConvertible, StatementColumnConvertible, DatabaseInteger {}
extension UInt16: DatabaseValueConvertible, StatementColumnConvertible, DatabaseInteger {}
extension UInt32: DatabaseValueConvertible, StatementColumnConvertible, DatabaseInteger {}
extension UInt64: DatabaseValueConvertible, StatementColumnConvertible, DatabaseInteger {}

extension Int64: DatabaseValueConvertible, StatementColumnConvertible, DatabaseInteger {
    /// Creates the value from a column, read as an integer.
    @inlinable
    public init(sqliteStatement: SQLiteStatement, index: CInt) {
        self = sqlite3_column_int64(sqliteStatement, index)
    }
}
