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
        try? DatabaseValueDecoder(value: databaseValue).decodeValue(Self.self) {
            guard let data = Data.fromDatabaseValue(databaseValue) else { return nil }
            return try databaseJSONDecoder().decode(Self.self, from: data)
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

/// An unkeyed container that throws an error for each value.
struct RefusingUnkeyedContainer: UnkeyedEncodingContainer {
    let encoder: any Encoder
    var error: any Error = JSONRequiredError()
    let codingPath: [any CodingKey] = []
    let count = 0

    func encodeNil() throws { throw error }

    func encode<T: Encodable>(_ value: T) throws { throw error }

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
protocol SingleValueDecoder: AnyObject, Decoder, SingleValueDecodingContainer {
    /// Whether the type has requested a keyed or unkeyed container.
    ///
    /// A type may ignore the error and then request another container.
    var requiresJSON: Bool { get set }

    /// Whether the value is the text of a JSON object or array.
    var mayBeJSON: Bool { get }

    func convert<Value: DatabaseValueConvertible>(_ type: Value.Type) throws -> Value
}

extension SingleValueDecoder {
    /// Decodes a value from a single value, or from JSON if the type requests it.
    ///
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - json: A closure that decodes the value from JSON, and returns `nil` if there is no text.
    /// - Returns: The value.
    /// - Throws: The error of the type or of the JSON decoder.
    func decodeValue<T: Decodable>(_ type: T.Type, json: () throws -> T?) throws -> T {
        let value: Result<T, any Error>
        do {
            value = .success(try T(from: self))
        } catch {
            value = .failure(error)
        }
        guard requiresJSON else { return try value.get() }
        guard case .success(let value) = value else {
            if let decoded = try json() { return decoded }
            throw DecodingError.dataCorruptedError(
                in: self,
                debugDescription: "could not decode \(type) from a value that is not text"
            )
        }
        // The type accepts both forms.
        guard mayBeJSON, let decoded = try? json() else { return value }
        return decoded
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        requiresJSON = true
        throw JSONRequiredError()
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        requiresJSON = true
        throw JSONRequiredError()
    }

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

extension DatabaseValue {
    /// Whether the value is text that starts as a JSON object or array does.
    var startsAsJSON: Bool {
        guard case .string(let text) = storage else { return false }
        let first = text.utf8.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    }
}

private final class DatabaseValueDecoder: SingleValueDecoder {
    let value: DatabaseValue
    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]
    var requiresJSON = false
    var mayBeJSON: Bool { value.startsAsJSON }

    init(value: DatabaseValue) { self.value = value }

    func decodeNil() -> Bool { value.isNull }

    func convert<Value: DatabaseValueConvertible>(_ type: Value.Type) throws -> Value {
        if let converted = Value.fromDatabaseValue(value) { return converted }
        throw DecodingError.dataCorruptedError(
            in: self,
            debugDescription: "could not decode \(type) from database value \(value)"
        )
    }
}

extension JSONDecoder {
    /// Returns a decoder that reads data as Base64 and dates as milliseconds since 1970.
    static func forDatabase(userInfo: [CodingUserInfoKey: Any]) -> JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dataDecodingStrategy = .base64
        decoder.dateDecodingStrategy = .millisecondsSince1970
        decoder.nonConformingFloatDecodingStrategy = .throw
        decoder.userInfo = forJSON(userInfo)
        return decoder
    }
}

extension JSONEncoder {
    /// Returns an encoder that writes data as Base64 and dates as milliseconds since 1970.
    ///
    /// The encoder sorts keys, so equal values have equal representations.
    static func forDatabase(userInfo: [CodingUserInfoKey: Any]) -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.dataEncodingStrategy = .base64
        encoder.dateEncodingStrategy = .millisecondsSince1970
        encoder.nonConformingFloatEncodingStrategy = .throw
        encoder.outputFormatting = .sortedKeys
        encoder.userInfo = forJSON(userInfo)
        return encoder
    }
}

/// Returns a record's `userInfo` dictionary in the form that Foundation's JSON coders require.
///
/// Since Swift 6, the JSON coders require `Sendable` values, but `Decoder` does not. The cast is
/// safe because only the thread that creates a coder uses it, and because `Sendable` does not
/// affect the layout of a type.
private func forJSON(_ userInfo: [CodingUserInfoKey: Any]) -> [CodingUserInfoKey: any Sendable] {
    userInfo.isEmpty ? [:] : unsafeBitCast(userInfo, to: [CodingUserInfoKey: any Sendable].self)
}
