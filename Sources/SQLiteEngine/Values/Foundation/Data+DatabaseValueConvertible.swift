import CSQLite
import Foundation

/// Data is stored as blobs.
extension Data: DatabaseValueConvertible, StatementColumnConvertible {
    /// The value as a blob.
    @inlinable public var databaseValue: DatabaseValue { DatabaseValue(storage: .blob(self)) }

    /// Creates the value from a blob, or from the UTF-8 bytes of text.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Data? {
        switch dbValue.storage {
        case .blob(let value): value
        case .string(let value): Data(value.utf8)
        default: nil
        }
    }

    /// Creates the value from a column, read as a blob.
    public init(sqliteStatement: SQLiteStatement, index: CInt) {
        self = Self.fromStatement(sqliteStatement, atUncheckedIndex: index) ?? Data()
    }

    /// Binds a copy of the bytes to a parameter and returns an SQLite result code.
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        withUnsafeBytes { bytes in
            // A null pointer would bind `NULL`.
            guard let start = bytes.baseAddress, !bytes.isEmpty else {
                return sqlite3_bind_zeroblob(sqliteStatement, index, 0)
            }
            return sqlite3_bind_blob64(
                sqliteStatement,
                index,
                start,
                UInt64(bytes.count),
                poolgauge_transient()
            )
        }
    }
}
