import CSQLite
import Foundation

/// A type that converts to and from database values.
public protocol DatabaseValueConvertible: StatementBinding {
    /// The database value.
    var databaseValue: DatabaseValue { get }

    /// Creates a value from a database value, or returns `nil` if the conversion fails.
    static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self?

    /// Reads a column, or returns `nil` if the value cannot be converted.
    ///
    /// By default, this method creates the value from a ``DatabaseValue``, or calls
    /// ``StatementColumnConvertible/fromStatement(_:atUncheckedIndex:)`` if the type conforms to
    /// ``StatementColumnConvertible``.
    ///
    /// - Parameters:
    ///   - sqliteStatement: A statement that has a row.
    ///   - index: The index of an existing column, starting at 0.
    /// - Returns: The value, or `nil` if the value cannot be converted.
    static func fromColumn(_ sqliteStatement: SQLiteStatement, at index: CInt) -> Self?

    /// Returns the value for a missing column, or `nil` if a missing column is an error.
    static func fromMissingColumn() -> Self?

    /// Returns the decoder for values that are stored as JSON.
    static func databaseJSONDecoder() -> JSONDecoder

    /// Returns the encoder for values that are stored as JSON.
    static func databaseJSONEncoder() -> JSONEncoder
}

extension DatabaseValueConvertible {
    /// Binds the database value to a parameter and returns an SQLite result code.
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        databaseValue.bind(to: sqliteStatement, at: index)
    }

    /// Reads a column by converting a ``DatabaseValue``.
    @inlinable
    public static func fromColumn(_ sqliteStatement: SQLiteStatement, at index: CInt) -> Self? {
        fromDatabaseValue(DatabaseValue(sqliteStatement: sqliteStatement, index: index))
    }

    /// Returns `nil`, because a missing column is an error.
    @inlinable
    public static func fromMissingColumn() -> Self? { nil }

    /// Returns a decoder that reads data as Base64 and dates as milliseconds since 1970.
    public static func databaseJSONDecoder() -> JSONDecoder {
        .forDatabase(userInfo: [:])
    }

    /// Returns an encoder that writes data as Base64 and dates as milliseconds since 1970.
    ///
    /// The encoder sorts keys, so equal values have equal representations.
    public static func databaseJSONEncoder() -> JSONEncoder {
        .forDatabase(userInfo: [:])
    }
}

extension Optional: DatabaseValueConvertible where Wrapped: DatabaseValueConvertible {
    /// The database value of the wrapped value, or `NULL`.
    @inlinable
    public var databaseValue: DatabaseValue {
        switch self {
        case .none: .null
        case .some(let value): value.databaseValue
        }
    }

    /// Creates the wrapped value, or returns `.some(nil)` if the wrapped type cannot convert
    /// `NULL`.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        if let value = Wrapped.fromDatabaseValue(dbValue) { return .some(.some(value)) }
        return dbValue.isNull ? .some(.none) : .none
    }

    /// Reads the wrapped value from a column, or returns `.some(nil)` for `NULL`.
    @inlinable
    @inline(__always)
    public static func fromColumn(_ sqliteStatement: SQLiteStatement, at index: CInt) -> Self? {
        if let value = Wrapped.fromColumn(sqliteStatement, at: index) { return .some(.some(value)) }
        return sqlite3_column_type(sqliteStatement, index) == SQLITE_NULL ? .some(.none) : .none
    }

    /// Returns `.some(nil)`, so that a missing column is decoded as `nil`.
    @inlinable
    public static func fromMissingColumn() -> Self? { .some(.none) }
}

/// Enumerations and wrappers are stored as their raw values.
extension DatabaseValueConvertible
where Self: RawRepresentable, RawValue: DatabaseValueConvertible {
    /// The database value of the raw value.
    public var databaseValue: DatabaseValue { rawValue.databaseValue }

    /// Creates a value from a raw value, or returns `nil` if the raw value is not valid for this
    /// type.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        RawValue.fromDatabaseValue(dbValue).flatMap(Self.init(rawValue:))
    }
}
