import CSQLite
import Foundation

/// A type that can be read from a column without a ``DatabaseValue``.
public protocol StatementColumnConvertible {
    /// Reads a column, which can be `NULL`.
    ///
    /// - Parameters:
    ///   - sqliteStatement: A statement that has a row.
    ///   - index: The index of an existing column, starting at 0.
    /// - Returns: The value, or `nil` if the value cannot be converted.
    static func fromStatement(
        _ sqliteStatement: SQLiteStatement,
        atUncheckedIndex index: CInt
    ) -> Self?

    /// Creates a value from a column that is not `NULL`, or returns `nil` if the conversion fails.
    ///
    /// - Parameters:
    ///   - sqliteStatement: A statement that has a row.
    ///   - index: The index of an existing column, starting at 0.
    init?(sqliteStatement: SQLiteStatement, index: CInt)
}

extension StatementColumnConvertible {
    /// Reads a column, or returns `nil` if the value is `NULL` or cannot be converted.
    @inlinable
    @inline(__always)
    public static func fromStatement(
        _ sqliteStatement: SQLiteStatement,
        atUncheckedIndex index: CInt
    ) -> Self? {
        if sqlite3_column_type(sqliteStatement, index) == SQLITE_NULL { return nil }
        return Self(sqliteStatement: sqliteStatement, index: index)
    }
}

extension DatabaseValueConvertible where Self: StatementColumnConvertible {
    /// Reads a column without a ``DatabaseValue``.
    @inlinable
    @inline(__always)
    public static func fromColumn(_ sqliteStatement: SQLiteStatement, at index: CInt) -> Self? {
        fromStatement(sqliteStatement, atUncheckedIndex: index)
    }
}

extension StatementColumnConvertible
where Self: RawRepresentable, RawValue: StatementColumnConvertible {
    /// Creates a value from the raw value in a column, or returns `nil` if the raw value is not
    /// valid for this type.
    @inlinable
    public init?(sqliteStatement: SQLiteStatement, index: CInt) {
        guard let rawValue = RawValue(sqliteStatement: sqliteStatement, index: index) else {
            return nil
        }
        self.init(rawValue: rawValue)
    }
}

extension Optional: StatementColumnConvertible where Wrapped: StatementColumnConvertible {
    /// Reads the wrapped value from a column, or returns `.some(nil)` for `NULL`.
    @inlinable
    @inline(__always)
    public static func fromStatement(
        _ sqliteStatement: SQLiteStatement,
        atUncheckedIndex index: CInt
    ) -> Self? {
        if let value = Wrapped.fromStatement(sqliteStatement, atUncheckedIndex: index) {
            return .some(.some(value))
        }
        return sqlite3_column_type(sqliteStatement, index) == SQLITE_NULL ? .some(.none) : .none
    }

    /// Creates a value from a column that is not `NULL`.
    @inlinable
    public init?(sqliteStatement: SQLiteStatement, index: CInt) {
        guard let value = Wrapped(sqliteStatement: sqliteStatement, index: index) else {
            return nil
        }
        self = .some(value)
    }
}

// For `NULL`, SQLite returns 0, or a null pointer for text and blobs. Any other result means that
// the value is not `NULL`, so most values require one call instead of two.

extension Bool {
    /// Reads a column, or returns `nil` for `NULL`.
    @inlinable
    @inline(__always)
    public static func fromStatement(
        _ sqliteStatement: SQLiteStatement,
        atUncheckedIndex index: CInt
    ) -> Bool? {
        if sqlite3_column_int64(sqliteStatement, index) != 0 { return true }
        return sqlite3_column_type(sqliteStatement, index) == SQLITE_NULL ? nil : false
    }
}

extension String {
    /// Reads a column, or returns `nil` for `NULL`.
    @inlinable
    @inline(__always)
    public static func fromStatement(
        _ sqliteStatement: SQLiteStatement,
        atUncheckedIndex index: CInt
    ) -> String? {
        // Locate the column only once; see `RowBuffer`. Read the text before the number of bytes,
        // because reading can convert the value.
        let value = sqlite3_column_value(sqliteStatement, index)
        guard let text = sqlite3_value_text(value) else {
            return sqlite3_value_type(value) == SQLITE_NULL ? nil : ""
        }
        let count = Int(sqlite3_value_bytes(value))
        return String(decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self)
    }
}

extension Data {
    /// Reads a column, or returns `nil` for `NULL`.
    @inlinable
    @inline(__always)
    public static func fromStatement(
        _ sqliteStatement: SQLiteStatement,
        atUncheckedIndex index: CInt
    ) -> Data? {
        // Read the blob before the number of bytes, because reading can convert the value.
        guard let bytes = sqlite3_column_blob(sqliteStatement, index) else {
            return sqlite3_column_type(sqliteStatement, index) == SQLITE_NULL ? nil : Data()
        }
        return Data(bytes: bytes, count: Int(sqlite3_column_bytes(sqliteStatement, index)))
    }
}

extension Date {
    /// Reads a column, or returns `nil` if the value is `NULL` or not a date.
    @inlinable
    @inline(__always)
    public static func fromStatement(
        _ sqliteStatement: SQLiteStatement,
        atUncheckedIndex index: CInt
    ) -> Date? {
        // The initializer checks the type, and `NULL` is not a date.
        Date(sqliteStatement: sqliteStatement, index: index)
    }
}
