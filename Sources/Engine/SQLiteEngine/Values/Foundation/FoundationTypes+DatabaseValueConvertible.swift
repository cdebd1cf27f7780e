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

/// Decimals are stored as text, which preserves all digits. Columns can also contain numbers.
extension Decimal: DatabaseValueConvertible, StatementColumnConvertible {
    /// The digits as text, with a decimal point.
    public var databaseValue: DatabaseValue { description.databaseValue }

    /// Creates a decimal from a number, or from text with a decimal point.
    ///
    /// The result is `nil` if a decimal cannot represent the number.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Decimal? {
        switch dbValue.storage {
        case .int64(let value): Decimal(value)
        case .double(let value): Decimal(inRange: value)
        case .string(let text):
            Decimal(string: text, locale: Locale(identifier: "en_US_POSIX"))
                .flatMap { $0.isFinite ? $0 : nil }
        default: nil
        }
    }

    /// Creates a decimal from a real, or returns `nil` if a decimal cannot represent its magnitude.
    ///
    /// Foundation's conversion stops the program for infinity, and returns NaN or 0 for other
    /// values out of range.
    private init?(inRange value: Double) {
        guard value.isFinite else { return nil }
        let decimal = Decimal(value)
        guard decimal.isFinite, decimal.isZero == (value == 0) else { return nil }
        self = decimal
    }

    /// Creates a decimal from a column that contains a number or text.
    public init?(sqliteStatement: SQLiteStatement, index: CInt) {
        let value = DatabaseValue(sqliteStatement: sqliteStatement, index: index)
        guard let decimal = Decimal.fromDatabaseValue(value) else { return nil }
        self = decimal
    }
}

/// Numbers are stored as integers or reals. An `NSDecimalNumber` that is not an integer is stored
/// as a real.
extension NSNumber: DatabaseValueConvertible {
    /// The value as an integer or a real.
    ///
    /// It is a fatal error if an unsigned number exceeds `Int64.max`.
    public var databaseValue: DatabaseValue {
        if let decimal = self as? NSDecimalNumber {
            // A conversion through a real would lose the last digits of a large integer.
            let integer = Int64(exactly: decimal)
            return integer?.databaseValue ?? doubleValue.databaseValue
        }
        switch UInt8(bitPattern: objCType.pointee) {
        case UInt8(ascii: "f"), UInt8(ascii: "d"):
            return doubleValue.databaseValue
        case UInt8(ascii: "Q"), UInt8(ascii: "L"):
            guard let value = Int64(exactly: uint64Value) else {
                fatalError("\(uint64Value) does not fit in a 64-bit signed integer of the database")
            }
            return value.databaseValue
        default:
            return int64Value.databaseValue
        }
    }

    /// Creates a number from a numeric value, or from text with a decimal point.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        switch dbValue.storage {
        case .int64(let value) where !(self is NSDecimalNumber.Type):
            NSNumber(value: value) as? Self
        case .double(let value) where !(self is NSDecimalNumber.Type):
            NSNumber(value: value) as? Self
        default:
            Decimal.fromDatabaseValue(dbValue).flatMap { NSDecimalNumber(decimal: $0) as? Self }
        }
    }
}

extension Int64 {
    /// Creates an integer from a decimal number, or returns `nil` if the number is not an integer
    /// in range.
    fileprivate init?(exactly number: NSDecimalNumber) {
        var value = number.decimalValue
        var rounded = Decimal()
        NSDecimalRound(&rounded, &value, 0, .plain)
        guard rounded == value, rounded >= Decimal(Int64.min), rounded <= Decimal(Int64.max),
            let integer = Int64(rounded.description)
        else { return nil }
        self = integer
    }
}

// Foundation classes are stored like the corresponding Swift structures.

extension NSData: DatabaseValueConvertible {
    /// The value as a blob.
    public var databaseValue: DatabaseValue { (self as Data).databaseValue }

    /// Creates the value from a blob, or from the UTF-8 bytes of text.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        Data.fromDatabaseValue(dbValue) as? Self
    }
}

extension NSString: DatabaseValueConvertible {
    /// The value as text.
    public var databaseValue: DatabaseValue { (self as String).databaseValue }

    /// Creates the value from text, or from a blob that contains UTF-8.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        String.fromDatabaseValue(dbValue).map { self.init(string: $0) }
    }
}

extension NSNull: DatabaseValueConvertible {
    /// `NULL`.
    public var databaseValue: DatabaseValue { .null }

    /// Returns `nil`, because `NULL` is decoded as `nil`.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? { nil }
}

extension CGFloat: DatabaseValueConvertible {
    /// The value as a real.
    public var databaseValue: DatabaseValue { Double(self).databaseValue }

    /// Creates the value from a number.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> CGFloat? {
        Double.fromDatabaseValue(dbValue).map { CGFloat($0) }
    }
}

extension DatabaseValueConvertible
where Self: ReferenceConvertible, ReferenceType: DatabaseValueConvertible {
    /// The database value of the corresponding class instance.
    public var databaseValue: DatabaseValue { referenceDatabaseValue }

    /// Creates the value from a database value that the corresponding class decodes.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        ReferenceType.fromDatabaseValue(dbValue) as? Self
    }

    fileprivate var referenceDatabaseValue: DatabaseValue {
        guard let reference = self as? ReferenceType else {
            fatalError("\(Self.self) does not convert to \(ReferenceType.self)")
        }
        return reference.databaseValue
    }
}

extension DatabaseValueConvertible
where Self: Encodable & ReferenceConvertible, ReferenceType: DatabaseValueConvertible {
    /// The database value of the corresponding class instance.
    public var databaseValue: DatabaseValue { referenceDatabaseValue }
}

extension DatabaseValueConvertible
where Self: Decodable & ReferenceConvertible, ReferenceType: DatabaseValueConvertible {
    /// Creates the value from a database value that the corresponding class decodes.
    public static func fromDatabaseValue(_ databaseValue: DatabaseValue) -> Self? {
        ReferenceType.fromDatabaseValue(databaseValue) as? Self
    }
}

/// URLs are stored as text.
extension URL: DatabaseValueConvertible {
    /// The absolute URL as text.
    public var databaseValue: DatabaseValue { absoluteString.databaseValue }

    /// Creates a URL from text.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> URL? {
        String.fromDatabaseValue(dbValue).flatMap(URL.init(string:))
    }
}

extension NSURL: DatabaseValueConvertible {
    /// The absolute URL as text.
    public var databaseValue: DatabaseValue {
        // The string is optional only on Apple platforms.
        (absoluteString as String?).databaseValue
    }

    /// Creates a URL from text.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        URL.fromDatabaseValue(dbValue) as? Self
    }
}

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
