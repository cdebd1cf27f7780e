/// Receives the single value that a type encodes, or detects that the type requires JSON.
final class ColumnEncoder: Encoder, SingleValueEncodingContainer {
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { recordType.databaseEncodingUserInfo }
    private let column: String
    private let recordType: any EncodableRecord.Type

    /// A value of `nil` means that the type has not encoded a value.
    private(set) var value: DatabaseValue?

    /// Whether the type has requested a keyed or unkeyed container.
    var requiresJSON = false

    init(column: String, of recordType: any EncodableRecord.Type) {
        self.column = column
        self.recordType = recordType
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
        if let value = try recordType.strategicValue(value, column) {
            self.value = value
        } else if let convertible = value as? any DatabaseValueConvertible {
            self.value = convertible.databaseValue
        } else {
            try value.encode(to: self)
        }
    }
}
