import Foundation

/// The column values that a record writes, in the order in which the record first set them.
///
/// Column names are case-insensitive.
public struct PersistenceContainer: Sendable {
    private(set) var columns: [String] = []
    private(set) var values: [DatabaseValue] = []

    init() {}

    init(_ record: some EncodableRecord) throws {
        try record.encode(to: &self)
    }

    /// The value of a column, or `nil` if the value is `NULL` or missing.
    public subscript(_ column: String) -> (any DatabaseValueConvertible)? {
        get { position(of: column).flatMap { values[$0].storage.value } }
        set { set(newValue?.databaseValue ?? .null, column) }
    }

    /// The value of a column, or `nil` if the value is `NULL` or missing.
    public subscript(_ column: some ColumnExpression) -> (any DatabaseValueConvertible)? {
        get { self[column.name] }
        set { self[column.name] = newValue }
    }

    mutating func set(_ value: DatabaseValue, _ column: String) {
        if let position = position(of: column) {
            values[position] = value
        } else {
            columns.append(column)
            values.append(value)
        }
    }

    /// Returns the value of a column, or `NULL` if the value is missing.
    func databaseValue(at column: String) -> DatabaseValue {
        position(of: column).map { values[$0] } ?? .null
    }

    func contains(_ column: String) -> Bool { position(of: column) != nil }

    /// Returns the columns that differ from another container, mapped to that container's values.
    func changes(from container: PersistenceContainer) -> [String: DatabaseValue] {
        var changes: [String: DatabaseValue] = [:]
        for (column, value) in self {
            let before = container.databaseValue(at: column)
            if before != value { changes[column] = before }
        }
        return changes
    }

    private func position(of column: String) -> Int? {
        // Compare exact names first, because most names match without case folding.
        columns.firstIndex(of: column) ?? columns.firstIndex { $0.isSameIdentifier(as: column) }
    }
}

extension PersistenceContainer: RandomAccessCollection {
    /// The position of the first column.
    public var startIndex: Int { 0 }

    /// The position after the last column.
    public var endIndex: Int { columns.count }

    /// A column and its value.
    public subscript(position: Int) -> (String, DatabaseValue) {
        (columns[position], values[position])
    }
}

extension String {
    /// Returns whether SQLite treats two names as the same identifier.
    ///
    /// SQLite ignores the case of ASCII letters only.
    func isSameIdentifier(as other: String) -> Bool {
        utf8.count == other.utf8.count
            && zip(utf8, other.utf8).allSatisfy { $0.asciiLowercase == $1.asciiLowercase }
    }

    /// A string that is equal for two names if and only if SQLite treats them as the same
    /// identifier.
    ///
    /// SQLite distinguishes `É` from `é`, and also the two representations of `é` in Unicode, which
    /// are equal strings in Swift. The key of such a name contains its bytes as numbers, after a NUL
    /// character that no name contains.
    var identifierKey: String {
        var isLowercase = true
        for byte in utf8 {
            if byte >= 0x80 {
                return "\0"
                    + utf8.map { String($0.asciiLowercase, radix: 16) }.joined(separator: " ")
            }
            if 0x41...0x5A ~= byte { isLowercase = false }
        }
        // Return a name that is already lowercase without copying it.
        return isLowercase ? self : lowercased()
    }
}

extension UInt8 {
    @inline(__always)
    var asciiLowercase: UInt8 { 0x41...0x5A ~= self ? self | 0x20 : self }
}

/// A type that can be written to columns.
///
/// A type that conforms to `Encodable` has a default implementation: the coding keys are the column
/// names, and properties that are not single values are stored as JSON.
public protocol EncodableRecord {
    /// Stores the record's values in a container.
    func encode(to container: inout PersistenceContainer) throws

    /// The `userInfo` dictionary for the encoder of an `Encodable` record. Empty by default.
    static var databaseEncodingUserInfo: [CodingUserInfoKey: Any] { get }

    /// Returns the encoder for a column that is stored as JSON.
    static func databaseJSONEncoder(for column: String) -> JSONEncoder

    /// Returns the strategy for writing an `Encodable` record's `Data` to a column.
    ///
    /// The default strategy writes a blob.
    static func databaseDataEncodingStrategy(for column: String) -> DatabaseDataEncodingStrategy

    /// Returns the strategy for writing an `Encodable` record's dates to a column.
    ///
    /// The default strategy writes text.
    static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy

    /// Returns the strategy for writing an `Encodable` record's UUIDs to a column.
    ///
    /// The default strategy writes a blob.
    static func databaseUUIDEncodingStrategy(for column: String) -> DatabaseUUIDEncodingStrategy

    /// The strategy that maps an `Encodable` record's coding keys to columns.
    ///
    /// By default, columns and keys have the same names.
    static var databaseColumnEncodingStrategy: DatabaseColumnEncodingStrategy { get }
}

extension EncodableRecord {
    /// An empty dictionary.
    public static var databaseEncodingUserInfo: [CodingUserInfoKey: Any] { [:] }

    /// Returns an encoder that writes data as Base64 and dates as milliseconds since 1970.
    ///
    /// The encoder sorts keys, so that equal values have equal representations.
    public static func databaseJSONEncoder(for column: String) -> JSONEncoder {
        .forDatabase(userInfo: databaseEncodingUserInfo)
    }

    /// Returns the strategy that writes blobs.
    public static func databaseDataEncodingStrategy(
        for column: String
    ) -> DatabaseDataEncodingStrategy { .deferredToData }

    /// Returns the strategy that writes text.
    public static func databaseDateEncodingStrategy(
        for column: String
    ) -> DatabaseDateEncodingStrategy { .deferredToDate }

    /// Returns the strategy that writes blobs.
    public static func databaseUUIDEncodingStrategy(
        for column: String
    ) -> DatabaseUUIDEncodingStrategy { .deferredToUUID }

    /// The strategy that uses the key names as column names.
    public static var databaseColumnEncodingStrategy: DatabaseColumnEncodingStrategy {
        .useDefaultKeys
    }

    /// The values of the record, by column.
    public var databaseDictionary: [String: DatabaseValue] {
        get throws {
            Dictionary(uniqueKeysWithValues: try PersistenceContainer(self).map { ($0.0, $0.1) })
        }
    }

    /// Returns whether two records have the same values in the same columns.
    ///
    /// A record that cannot be encoded does not equal any record.
    public func databaseEquals(_ record: Self) -> Bool {
        guard let container = try? PersistenceContainer(self),
            let other = try? PersistenceContainer(record)
        else { return false }
        return container.count == other.count
            && container.allSatisfy {
                other.contains($0.0) && other.databaseValue(at: $0.0) == $0.1
            }
    }

    /// Returns the columns that differ from another record, with that record's values.
    public func databaseChanges(
        from record: some EncodableRecord
    ) throws -> [String: DatabaseValue] {
        try PersistenceContainer(self).changes(from: PersistenceContainer(record))
    }

    /// Modifies the record and returns the changed columns with their previous values.
    public mutating func databaseChanges(
        modify: (inout Self) throws -> Void
    ) throws -> [String: DatabaseValue] {
        let before = try PersistenceContainer(self)
        try modify(&self)
        return try PersistenceContainer(self).changes(from: before)
    }
}
