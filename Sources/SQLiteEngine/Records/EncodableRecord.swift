import Foundation

/// A type whose values can be written to columns.
///
/// A type that conforms to `Encodable` has a default implementation. Its coding keys are the column
/// names, and a property that is not a single value is stored as JSON.
public protocol EncodableRecord {
    /// Sets the values of the columns.
    func encode(to container: inout PersistenceContainer) throws

    /// The `userInfo` of an `Encodable` record's encoder, which is empty by default.
    static var databaseEncodingUserInfo: [CodingUserInfoKey: Any] { get }

    /// Returns the encoder for a column that is stored as JSON.
    static func databaseJSONEncoder(for column: String) -> JSONEncoder

    /// Returns how an `Encodable` record writes `Data` to a column.
    ///
    /// By default, data is written as a blob.
    static func databaseDataEncodingStrategy(for column: String) -> DatabaseDataEncodingStrategy

    /// Returns how an `Encodable` record writes a date to a column.
    ///
    /// By default, a date is written as text.
    static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy

    /// Returns how an `Encodable` record writes a UUID to a column.
    ///
    /// By default, a UUID is written as a blob.
    static func databaseUUIDEncodingStrategy(for column: String) -> DatabaseUUIDEncodingStrategy

    /// The strategy that maps an `Encodable` record's coding keys to columns.
    ///
    /// By default, the columns have the names of the keys.
    static var databaseColumnEncodingStrategy: DatabaseColumnEncodingStrategy { get }
}

extension EncodableRecord {
    /// An empty dictionary.
    public static var databaseEncodingUserInfo: [CodingUserInfoKey: Any] { [:] }

    /// Returns an encoder that writes data as Base64 and dates as milliseconds since 1970.
    ///
    /// The encoder sorts keys so that equal values have equal representations.
    public static func databaseJSONEncoder(for column: String) -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.dataEncodingStrategy = .base64
        encoder.dateEncodingStrategy = .millisecondsSince1970
        encoder.nonConformingFloatEncodingStrategy = .throw
        encoder.outputFormatting = .sortedKeys
        encoder.userInfo = forJSON(databaseEncodingUserInfo)
        return encoder
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

    /// The strategy that uses the names of the keys.
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
    /// A record that cannot be encoded is not equal to any record.
    public func databaseEquals(_ record: Self) -> Bool {
        guard let container = try? PersistenceContainer(self),
            let other = try? PersistenceContainer(record)
        else { return false }
        return container.count == other.count
            && container.allSatisfy {
                other.contains($0.0) && other.databaseValue(at: $0.0) == $0.1
            }
    }

    /// Returns the columns that have a different value in another record, with the values in that
    /// record.
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

extension EncodableRecord where Self: Encodable {
    /// Sets the values that the record encodes.
    public func encode(to container: inout PersistenceContainer) throws {
        let encoder = RecordEncoder(container: container, recordType: Self.self)
        try encode(to: encoder)
        container = encoder.container
    }
}
