import Foundation

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
