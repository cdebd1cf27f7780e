/// Gives a column to a type that decodes itself from one single value.
struct ColumnDecoder: Decoder, SingleValueDecodingContainer {
    let row: Row
    let index: Int
    let codingPath: [any CodingKey]
    let userInfo: [CodingUserInfoKey: Any]

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        throw JSONIsNeeded()
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw JSONIsNeeded() }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    func decodeNil() -> Bool { row.hasNull(atIndex: index) }

    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        guard let convertible = type as? any DatabaseValueConvertible.Type else {
            return try T(from: self)
        }
        return try value(convertible, as: type)
    }

    private func value<Value: DatabaseValueConvertible, T>(
        _ value: Value.Type,
        as type: T.Type
    ) throws -> T {
        identical(try row.decode(value, atUncheckedIndex: index), as: type)
    }
}
