import CSQLite
import Foundation

enum FunctionResult {
    /// Reports the value that `compute` returns, or the error that it throws, to SQLite.
    static func report(
        to context: OpaquePointer?,
        _ compute: () throws -> (any DatabaseValueConvertible)?
    ) {
        do {
            report(try compute()?.databaseValue ?? .null, to: context)
        } catch {
            report(error, to: context)
        }
    }

    /// Reports the code and message of a ``DatabaseError``, or the text of another error, to
    /// SQLite.
    static func report(_ error: any Error, to context: OpaquePointer?) {
        guard let error = error as? DatabaseError else {
            sqlite3_result_error(context, "\(error)", -1)
            return
        }
        if let message = error.message { sqlite3_result_error(context, message, -1) }
        sqlite3_result_error_code(context, error.extendedResultCode.rawValue)
    }

    private static func report(_ value: DatabaseValue, to context: OpaquePointer?) {
        switch value.storage {
        case .null:
            sqlite3_result_null(context)
        case .int64(let value):
            sqlite3_result_int64(context, value)
        case .double(let value):
            sqlite3_result_double(context, value)
        case .string(let value):
            // The C string ends with a NUL byte, so the pointer is valid even for an empty string.
            value.withCString {
                sqlite3_result_text64(
                    context,
                    $0,
                    UInt64(value.utf8.count),
                    poolgauge_transient(),
                    UInt8(SQLITE_UTF8)
                )
            }
        case .blob(let value):
            value.withUnsafeBytes { bytes in
                guard let start = bytes.baseAddress, !bytes.isEmpty else {
                    sqlite3_result_zeroblob(context, 0)
                    return
                }
                sqlite3_result_blob64(context, start, UInt64(bytes.count), poolgauge_transient())
            }
        }
    }
}

extension DatabaseValue {
    /// Creates a value from an argument of a function.
    init(sqliteValue: OpaquePointer?) {
        switch sqlite3_value_type(sqliteValue) {
        case SQLITE_INTEGER:
            storage = .int64(sqlite3_value_int64(sqliteValue))
        case SQLITE_FLOAT:
            storage = .double(sqlite3_value_double(sqliteValue))
        case SQLITE_TEXT:
            let text = sqlite3_value_text(sqliteValue)
            let count = text == nil ? 0 : Int(sqlite3_value_bytes(sqliteValue))
            let bytes = UnsafeBufferPointer(start: text, count: count)
            storage = .string(String(decoding: bytes, as: UTF8.self))
        case SQLITE_BLOB:
            let bytes = sqlite3_value_blob(sqliteValue)
            let count = Int(sqlite3_value_bytes(sqliteValue))
            storage = .blob(bytes.map { Data(bytes: $0, count: count) } ?? Data())
        default:
            storage = .null
        }
    }
}
