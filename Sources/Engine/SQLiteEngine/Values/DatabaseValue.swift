import CSQLite
import Foundation

/// A value as SQLite stores it: `NULL`, an integer, a real, text, or a blob.
public struct DatabaseValue: Sendable {
    /// One of SQLite's five storage classes.
    @frozen
    public enum Storage: Sendable, Equatable {
        /// `NULL`.
        case null
        /// An integer.
        case int64(Int64)
        /// A real.
        case double(Double)
        /// Text.
        case string(String)
        /// A blob.
        case blob(Data)

        /// The value as `Int64`, `Double`, `String`, or `Data`, or `nil` for `NULL`.
        public var value: (any DatabaseValueConvertible)? {
            switch self {
            case .null: nil
            case .int64(let value): value
            case .double(let value): value
            case .string(let value): value
            case .blob(let value): value
            }
        }
    }

    /// The value with its storage class.
    public let storage: Storage

    /// `NULL`.
    public static let null = DatabaseValue(storage: .null)

    @inlinable
    init(storage: Storage) {
        self.storage = storage
    }

    /// Creates a database value, or returns `nil` if the type of `value` is not convertible.
    public init?(value: Any) {
        guard let convertible = value as? any DatabaseValueConvertible else { return nil }
        self = convertible.databaseValue
    }

    /// Creates a value from a column of a statement's current row.
    ///
    /// - Parameters:
    ///   - sqliteStatement: A statement that has a row.
    ///   - index: The index of the column, starting at 0.
    public init(sqliteStatement: SQLiteStatement, index: CInt) {
        switch sqlite3_column_type(sqliteStatement, index) {
        case SQLITE_INTEGER: storage = .int64(sqlite3_column_int64(sqliteStatement, index))
        case SQLITE_FLOAT: storage = .double(sqlite3_column_double(sqliteStatement, index))
        case SQLITE_TEXT: storage = .string(String(sqliteStatement: sqliteStatement, index: index))
        case SQLITE_BLOB: storage = .blob(Data(sqliteStatement: sqliteStatement, index: index))
        default: storage = .null
        }
    }

    /// Whether the value is `NULL`.
    public var isNull: Bool {
        if case .null = storage { true } else { false }
    }
}

extension DatabaseValue: Hashable {
    /// Returns whether two values are equal.
    ///
    /// An integer equals a real with the same value.
    public static func == (lhs: DatabaseValue, rhs: DatabaseValue) -> Bool {
        switch (lhs.storage, rhs.storage) {
        case (.int64(let integer), .double(let real)), (.double(let real), .int64(let integer)):
            Int64(exactly: real) == integer
        default:
            lhs.storage == rhs.storage
        }
    }

    /// Feeds the value into `hasher`.
    ///
    /// An integer has the same hash as a real with the same value.
    public func hash(into hasher: inout Hasher) {
        switch storage {
        case .null: hasher.combine(0)
        case .int64(let value): hasher.combine(Double(value))
        case .double(let value): hasher.combine(value)
        case .string(let value): hasher.combine(value)
        case .blob(let value): hasher.combine(value)
        }
    }
}

extension DatabaseValue: DatabaseValueConvertible {
    /// The value itself.
    @inlinable public var databaseValue: DatabaseValue { self }

    /// Returns the value itself.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> DatabaseValue? { dbValue }

    /// Binds the value to a parameter and returns an SQLite result code.
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        switch storage {
        case .null: sqlite3_bind_null(sqliteStatement, index)
        case .int64(let value): sqlite3_bind_int64(sqliteStatement, index, value)
        case .double(let value): sqlite3_bind_double(sqliteStatement, index, value)
        case .string(let value): value.bind(to: sqliteStatement, at: index)
        case .blob(let value): value.bind(to: sqliteStatement, at: index)
        }
    }
}

extension DatabaseValue: CustomStringConvertible {
    /// The value as text, with quotes around a string.
    public var description: String {
        switch storage {
        case .null: "NULL"
        case .int64(let value): String(value)
        case .double(let value): String(value)
        case .string(let value): String(reflecting: value)
        case .blob(let value): "Data(\(value.description))"
        }
    }
}

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

/// A value that can be bound to a parameter of a statement.
public protocol StatementBinding {
    /// Binds the value to a parameter.
    ///
    /// SQLite copies the bytes that it needs, so the value need not outlive the call.
    ///
    /// - Parameters:
    ///   - sqliteStatement: The statement.
    ///   - index: The index of the parameter, starting at 1.
    /// - Returns: An SQLite result code.
    func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt
}

extension StatementBinding where Self: RawRepresentable, RawValue: StatementBinding {
    /// Binds the raw value to a parameter and returns an SQLite result code.
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        rawValue.bind(to: sqliteStatement, at: index)
    }
}

extension Optional: StatementBinding where Wrapped: StatementBinding {
    /// Binds the value, or `NULL`, to a parameter and returns an SQLite result code.
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        switch self {
        case .none: sqlite3_bind_null(sqliteStatement, index)
        case .some(let value): value.bind(to: sqliteStatement, at: index)
        }
    }
}
