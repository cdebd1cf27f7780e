import Foundation

/// A type whose values turn into database values, and back.
public protocol DatabaseValueConvertible: StatementBinding {
    /// The value for the database.
    var databaseValue: DatabaseValue { get }

    /// Creates a value from one of the database's; nil when it cannot be converted.
    static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self?

    /// The value of a column that a row does not have; nil when that is an error.
    static func fromMissingColumn() -> Self?

    /// The decoder of values that are stored as JSON.
    static func databaseJSONDecoder() -> JSONDecoder

    /// The encoder of values that are stored as JSON.
    static func databaseJSONEncoder() -> JSONEncoder
}

extension DatabaseValueConvertible {
    /// Binds the database value to a parameter, and returns an SQLite result code.
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        databaseValue.bind(to: sqliteStatement, at: index)
    }

    /// Nil: a missing column is an error.
    @inlinable
    public static func fromMissingColumn() -> Self? { nil }

    /// A decoder of Base64 data and of dates in milliseconds since 1970.
    public static func databaseJSONDecoder() -> JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dataDecodingStrategy = .base64
        decoder.dateDecodingStrategy = .millisecondsSince1970
        decoder.nonConformingFloatDecodingStrategy = .throw
        return decoder
    }

    /// An encoder of Base64 data and of dates in milliseconds since 1970, with sorted keys, so
    /// that equal values have equal texts.
    public static func databaseJSONEncoder() -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.dataEncodingStrategy = .base64
        encoder.dateEncodingStrategy = .millisecondsSince1970
        encoder.nonConformingFloatEncodingStrategy = .throw
        encoder.outputFormatting = .sortedKeys
        return encoder
    }
}

extension Optional: DatabaseValueConvertible where Wrapped: DatabaseValueConvertible {
    /// The wrapped value's database value, or NULL.
    @inlinable
    public var databaseValue: DatabaseValue {
        switch self {
        case .none: .null
        case .some(let value): value.databaseValue
        }
    }

    /// Creates nil from NULL, unless the wrapped type has a value for it.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        if let value = Wrapped.fromDatabaseValue(dbValue) { return .some(.some(value)) }
        return dbValue.isNull ? .some(.none) : .none
    }

    /// A missing column reads as nil.
    @inlinable
    public static func fromMissingColumn() -> Self? { .some(.none) }
}
