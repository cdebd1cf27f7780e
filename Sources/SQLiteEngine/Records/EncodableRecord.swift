import Foundation

/// A type whose values can be written to columns.
///
/// An `Encodable` type need not say how: its coding keys are the names of the columns, and what is
/// no single value is stored as JSON.
public protocol EncodableRecord {
    /// Gives the values of the columns.
    func encode(to container: inout PersistenceContainer) throws

    /// What an `Encodable` record's encoder gives as its `userInfo`; empty by default.
    static var databaseEncodingUserInfo: [CodingUserInfoKey: Any] { get }

    /// The encoder of a column that is stored as JSON.
    static func databaseJSONEncoder(for column: String) -> JSONEncoder

    /// How an `Encodable` record writes `Data` to a column; as a blob by default.
    static func databaseDataEncodingStrategy(for column: String) -> DatabaseDataEncodingStrategy

    /// How an `Encodable` record writes a date to a column; as a text by default.
    static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy

    /// How an `Encodable` record writes a UUID to a column; as a blob by default.
    static func databaseUUIDEncodingStrategy(for column: String) -> DatabaseUUIDEncodingStrategy

    /// Which columns an `Encodable` record writes its coding keys to; those of their names by
    /// default.
    static var databaseColumnEncodingStrategy: DatabaseColumnEncodingStrategy { get }
}

extension EncodableRecord {
    /// Nothing.
    public static var databaseEncodingUserInfo: [CodingUserInfoKey: Any] { [:] }

    /// An encoder of Base64 data and of dates in milliseconds since 1970, with sorted keys, so
    /// that equal values have equal texts.
    public static func databaseJSONEncoder(for column: String) -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.dataEncodingStrategy = .base64
        encoder.dateEncodingStrategy = .millisecondsSince1970
        encoder.nonConformingFloatEncodingStrategy = .throw
        encoder.outputFormatting = .sortedKeys
        encoder.userInfo = forJSON(databaseEncodingUserInfo)
        return encoder
    }

    /// As a blob.
    public static func databaseDataEncodingStrategy(
        for column: String
    ) -> DatabaseDataEncodingStrategy { .deferredToData }

    /// As a text.
    public static func databaseDateEncodingStrategy(
        for column: String
    ) -> DatabaseDateEncodingStrategy { .deferredToDate }

    /// As a blob.
    public static func databaseUUIDEncodingStrategy(
        for column: String
    ) -> DatabaseUUIDEncodingStrategy { .deferredToUUID }

    /// The names of the keys.
    public static var databaseColumnEncodingStrategy: DatabaseColumnEncodingStrategy {
        .useDefaultKeys
    }

    /// The values by column.
    public var databaseDictionary: [String: DatabaseValue] {
        get throws {
            Dictionary(uniqueKeysWithValues: try PersistenceContainer(self).map { ($0.0, $0.1) })
        }
    }

    /// Whether two records have the same values in the same columns.
    ///
    /// A record that cannot be encoded equals none.
    public func databaseEquals(_ record: Self) -> Bool {
        guard let mine = try? PersistenceContainer(self),
            let other = try? PersistenceContainer(record)
        else { return false }
        return mine.count == other.count
            && mine.allSatisfy { other.contains($0.0) && other.databaseValue(at: $0.0) == $0.1 }
    }

    /// The columns whose values differ from another record's, with the other record's values.
    public func databaseChanges(
        from record: some EncodableRecord
    ) throws -> [String: DatabaseValue] {
        try PersistenceContainer(self).changes(from: PersistenceContainer(record))
    }

    /// Changes the record; returns the columns that differ now, with their values of before.
    public mutating func databaseChanges(
        modify: (inout Self) throws -> Void
    ) throws -> [String: DatabaseValue] {
        let before = try PersistenceContainer(self)
        try modify(&self)
        return try PersistenceContainer(self).changes(from: before)
    }
}

extension EncodableRecord where Self: Encodable {
    /// Gives the values that the record encodes itself as.
    public func encode(to container: inout PersistenceContainer) throws {
        let encoder = RecordEncoder(container: container, recordType: Self.self)
        try encode(to: encoder)
        container = encoder.container
    }
}
