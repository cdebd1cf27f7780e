import Foundation

/// A type whose values can be written to columns.
///
/// An `Encodable` type has a default implementation: its coding keys are the column names, and
/// anything that is not a single value is stored as JSON.
public protocol EncodableRecord {
    /// Sets the values of the columns.
    func encode(to container: inout PersistenceContainer) throws

    /// The `userInfo` of an `Encodable` record's encoder; empty by default.
    static var databaseEncodingUserInfo: [CodingUserInfoKey: Any] { get }

    /// Returns the encoder for a column that is stored as JSON.
    static func databaseJSONEncoder(for column: String) -> JSONEncoder

    /// Returns how an `Encodable` record writes `Data` to a column; by default, as a blob.
    static func databaseDataEncodingStrategy(for column: String) -> DatabaseDataEncodingStrategy

    /// Returns how an `Encodable` record writes a date to a column; by default, as text.
    static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy

    /// Returns how an `Encodable` record writes a UUID to a column; by default, as a blob.
    static func databaseUUIDEncodingStrategy(for column: String) -> DatabaseUUIDEncodingStrategy

    /// The columns for an `Encodable` record's coding keys; by default, the columns with the same
    /// names.
    static var databaseColumnEncodingStrategy: DatabaseColumnEncodingStrategy { get }
}

extension EncodableRecord {
    /// An empty dictionary.
    public static var databaseEncodingUserInfo: [CodingUserInfoKey: Any] { [:] }

    /// Returns an encoder that writes data as Base64 and dates in milliseconds since 1970.
    ///
    /// It sorts keys so that equal values have equal representations.
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

    /// Returns the values by column.
    public var databaseDictionary: [String: DatabaseValue] {
        get throws {
            Dictionary(uniqueKeysWithValues: try PersistenceContainer(self).map { ($0.0, $0.1) })
        }
    }

    /// Returns whether two records have the same values in the same columns.
    ///
    /// A record that cannot be encoded is not equal to any record.
    public func databaseEquals(_ record: Self) -> Bool {
        guard let own = try? PersistenceContainer(self),
            let other = try? PersistenceContainer(record)
        else { return false }
        return own.count == other.count
            && own.allSatisfy { other.contains($0.0) && other.databaseValue(at: $0.0) == $0.1 }
    }

    /// Returns the columns whose values differ from another record's, with the other record's
    /// values.
    public func databaseChanges(
        from record: some EncodableRecord
    ) throws -> [String: DatabaseValue] {
        try PersistenceContainer(self).changes(from: PersistenceContainer(record))
    }

    /// Modifies the record and returns the columns that have changed, with their previous values.
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
