import CSQLite
import Foundation

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

/// Strings are stored as UTF-8 text, including NUL characters.
extension String: DatabaseValueConvertible, StatementColumnConvertible {
    /// The value as text.
    @inlinable public var databaseValue: DatabaseValue { DatabaseValue(storage: .string(self)) }

    /// Creates the value from text, or from a blob that contains UTF-8.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> String? {
        switch dbValue.storage {
        case .string(let value): value
        case .blob(let value): String(data: value, encoding: .utf8)
        default: nil
        }
    }

    /// Creates the value from a column, read as text.
    ///
    /// Bytes that are not valid UTF-8 become U+FFFD.
    @inlinable
    public init(sqliteStatement: SQLiteStatement, index: CInt) {
        self = Self.fromStatement(sqliteStatement, atUncheckedIndex: index) ?? ""
    }

    /// Binds a copy of the bytes to a parameter and returns an SQLite result code.
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        var text = self
        return text.withUTF8 { bytes in
            guard let start = bytes.baseAddress else {
                return sqlite3_bind_text(sqliteStatement, index, "", 0, poolgauge_transient())
            }
            return start.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
                sqlite3_bind_text64(
                    sqliteStatement,
                    index,
                    $0,
                    UInt64(bytes.count),
                    poolgauge_transient(),
                    UInt8(SQLITE_UTF8)
                )
            }
        }
    }
}

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
