import CSQLite
import Foundation

/// UUIDs are stored as 16-byte blobs. Columns can also contain text.
extension UUID: DatabaseValueConvertible, StatementColumnConvertible {
    /// The 16 bytes.
    public var databaseValue: DatabaseValue {
        withUnsafeBytes(of: uuid) { Data($0).databaseValue }
    }

    /// Creates a UUID from 16 bytes, or from text such as `E621E1F8-C36C-495A-93FC-0C247A3E6E5F`.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> UUID? {
        switch dbValue.storage {
        case .blob(let data): data.withUnsafeBytes(UUID.init(bytes:))
        case .string(let text): UUID(uuidString: text)
        default: nil
        }
    }

    /// Creates a UUID from a column that contains 16 bytes or text.
    public init?(sqliteStatement: SQLiteStatement, index: CInt) {
        switch sqlite3_column_type(sqliteStatement, index) {
        case SQLITE_TEXT:
            self.init(uuidString: String(sqliteStatement: sqliteStatement, index: index))
        case SQLITE_BLOB:
            let start = sqlite3_column_blob(sqliteStatement, index)
            let count = Int(sqlite3_column_bytes(sqliteStatement, index))
            self.init(bytes: UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
        default:
            return nil
        }
    }

    private init?(bytes: UnsafeRawBufferPointer) {
        guard bytes.count == 16 else { return nil }
        self.init(uuid: bytes.loadUnaligned(as: uuid_t.self))
    }
}

extension NSUUID: DatabaseValueConvertible {
    /// The 16 bytes.
    public var databaseValue: DatabaseValue {
        UUID(uuidString: uuidString)?.databaseValue ?? .null
    }

    /// Creates a UUID from any value that `UUID` accepts.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        UUID.fromDatabaseValue(dbValue).flatMap { NSUUID(uuidString: $0.uuidString) as? Self }
    }
}
