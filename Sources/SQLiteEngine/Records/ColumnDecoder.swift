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
        identical(try row.decode(value, atUncheckedIndex: index), as: type)
    }
}

extension Row {
    /// Decodes a column with the strategy for `type`, or returns `nil` if `type` has no strategy.
    func strategicValue<T>(
        _ type: T.Type,
        atUncheckedIndex index: Int,
        for recordType: any FetchableRecord.Type
    ) throws -> T? {
        let value: T?
        if T.self == Date.self {
            value = recordType.databaseDateDecodingStrategy(for: layout.names[index])
                .decode(databaseValue(atUncheckedIndex: index))
                .map { identical($0, as: type) }
        } else if T.self == Data.self {
            value = recordType.databaseDataDecodingStrategy(for: layout.names[index])
                .decode(databaseValue(atUncheckedIndex: index))
                .map { identical($0, as: type) }
        } else {
            return nil
        }
        guard let value else {
            throw RowDecodingError.valueMismatch(type, row: self, index: index)
        }
        return value
    }
}
