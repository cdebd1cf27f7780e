import Foundation

/// An encoder that receives the single value that a type encodes, or detects that the type requires
/// JSON.
final class ColumnEncoder: Encoder, SingleValueEncodingContainer {
    /// The column of a record, whose type determines how dates, data, and UUIDs are encoded.
    struct Target {
        let column: String
        let recordType: any EncodableRecord.Type
    }

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { target?.recordType.databaseEncodingUserInfo ?? [:] }
    private let target: Target?

    /// The encoded value, or `nil` if the type has not encoded a value.
    private var value: DatabaseValue?

    /// Whether the type has requested a keyed or unkeyed container.
    private var requiresJSON = false

    private init(target: Target?) { self.target = target }

    /// Returns the single database value that `value` encodes, or `value` as JSON text.
    static func encode(
        _ value: some Encodable,
        for target: Target? = nil,
        json makeJSONEncoder: () -> JSONEncoder
    ) throws -> DatabaseValue {
        let encoder = ColumnEncoder(target: target)
        do {
            try value.encode(to: encoder)
        } catch is JSONRequiredError {
            encoder.requiresJSON = true
        }
        if let value = encoder.value, !encoder.requiresJSON { return value }
        return String(decoding: try makeJSONEncoder().encode(value), as: UTF8.self).databaseValue
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        requiresJSON = true
        return KeyedEncodingContainer(RefusingKeyedContainer(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        requiresJSON = true
        return RefusingUnkeyedContainer(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    func encodeNil() { value = .null }

    func encode<T: Encodable>(_ value: T) throws {
        if let target, let value = try target.recordType.encodeWithStrategy(value, target.column) {
            self.value = value
        } else if let convertible = value as? any DatabaseValueConvertible {
            self.value = convertible.databaseValue
        } else {
            try value.encode(to: self)
        }
    }
}
