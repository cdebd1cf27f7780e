import Foundation

// A `Codable` value that encodes itself as a single value (a string, a number, a date, or another
// convertible type) is stored as that value. All other values are stored as JSON text.

extension DatabaseValueConvertible where Self: Encodable {
    /// The encoded single value, or JSON text.
    ///
    /// It is a fatal error if the value cannot be encoded.
    public var databaseValue: DatabaseValue {
        do {
            return try ColumnEncoder.encode(self, json: Self.databaseJSONEncoder)
        } catch {
            fatalError("cannot encode \(Self.self) for the database: \(error)")
        }
    }
}

extension DatabaseValueConvertible where Self: Decodable {
    /// Decodes a value from a single value or from JSON.
    public static func fromDatabaseValue(_ databaseValue: DatabaseValue) -> Self? {
        do {
            return try Self(from: DatabaseValueDecoder(value: databaseValue))
        } catch is JSONRequiredError {
            return Data.fromDatabaseValue(databaseValue).flatMap {
                try? databaseJSONDecoder().decode(Self.self, from: $0)
            }
        } catch {
            return nil
        }
    }
}

extension DatabaseValueConvertible
where Self: Encodable & RawRepresentable, RawValue: DatabaseValueConvertible {
    /// The database value of the raw value.
    public var databaseValue: DatabaseValue { rawValue.databaseValue }
}

extension DatabaseValueConvertible
where Self: Decodable & RawRepresentable, RawValue: DatabaseValueConvertible {
    /// Creates a value from a raw value, or returns `nil` if the raw value is not valid for this
    /// type.
    public static func fromDatabaseValue(_ databaseValue: DatabaseValue) -> Self? {
        RawValue.fromDatabaseValue(databaseValue).flatMap(Self.init(rawValue:))
    }
}

/// An error that indicates that a value must be stored as JSON.
struct JSONRequiredError: Error {}

/// A keyed container that throws an error for each value, because the type requires JSON.
struct RefusingKeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: any Encoder
    let codingPath: [any CodingKey] = []

    func encodeNil(forKey key: Key) throws { throw JSONRequiredError() }

    func encode<T: Encodable>(_ value: T, forKey key: Key) throws { throw JSONRequiredError() }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type,
        forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        encoder.container(keyedBy: keyType)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        encoder.unkeyedContainer()
    }

    func superEncoder() -> any Encoder { encoder }

    func superEncoder(forKey key: Key) -> any Encoder { encoder }
}

/// An unkeyed container that throws an error for each value, because the type requires JSON.
struct RefusingUnkeyedContainer: UnkeyedEncodingContainer {
    let encoder: any Encoder
    let codingPath: [any CodingKey] = []
    let count = 0

    func encodeNil() throws { throw JSONRequiredError() }

    func encode<T: Encodable>(_ value: T) throws { throw JSONRequiredError() }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
        encoder.container(keyedBy: keyType)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }

    func superEncoder() -> any Encoder { encoder }
}

/// A decoder that provides a single value.
///
/// If a type requests a keyed or unkeyed container, the decoder throws ``JSONRequiredError``.
protocol SingleValueDecoder: Decoder, SingleValueDecodingContainer {
    func convert<Value: DatabaseValueConvertible>(_ type: Value.Type) throws -> Value
}

extension SingleValueDecoder {
    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        throw JSONRequiredError()
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw JSONRequiredError() }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        guard let convertible = type as? any DatabaseValueConvertible.Type else {
            return try T(from: self)
        }
        return try convert(convertible, as: type)
    }

    private func convert<Value: DatabaseValueConvertible, T>(
        _ value: Value.Type,
        as type: T.Type
    ) throws -> T {
        exactCast(try convert(value), as: type)
    }
}

private struct DatabaseValueDecoder: SingleValueDecoder {
    let value: DatabaseValue
    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]

    func decodeNil() -> Bool { value.isNull }

    func convert<Value: DatabaseValueConvertible>(_ type: Value.Type) throws -> Value {
        if let converted = Value.fromDatabaseValue(value) { return converted }
        throw DecodingError.dataCorruptedError(
            in: self,
            debugDescription: "could not decode \(type) from database value \(value)"
        )
    }
}
