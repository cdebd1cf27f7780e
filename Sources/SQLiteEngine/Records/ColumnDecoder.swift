import Foundation

/// Decodes a value from a single column.
struct ColumnDecoder: Decoder, SingleValueDecodingContainer {
    let row: Row
    let index: Int
    let codingPath: [any CodingKey]
    let recordType: any FetchableRecord.Type
    var userInfo: [CodingUserInfoKey: Any] { recordType.databaseDecodingUserInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        throw JSONRequiredError()
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw JSONRequiredError() }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    func decodeNil() -> Bool { row.hasNull(atIndex: index) }

    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        if let value = try row.strategicValue(type, atUncheckedIndex: index, for: recordType) {
            return value
        }
        guard let convertible = type as? any DatabaseValueConvertible.Type else {
            return try T(from: self)
        }
        return try value(convertible, as: type)
    }

    private func value<Value: DatabaseValueConvertible, T>(
        _ value: Value.Type,
        as type: T.Type
    ) throws -> T {
        identical(try row.convert(value, atUncheckedIndex: index), as: type)
    }
}
