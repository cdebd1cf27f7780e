import CSQLite
import Foundation

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
