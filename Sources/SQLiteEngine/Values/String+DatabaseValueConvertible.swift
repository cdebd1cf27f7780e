import CSQLite
import Foundation

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
