import Foundation

/// A decoder that reads a value from a single column.
struct ColumnDecoder: SingleValueDecoder {
    let row: Row
    let index: Int
    let codingPath: [any CodingKey]
    let recordType: any FetchableRecord.Type
    var userInfo: [CodingUserInfoKey: Any] { recordType.databaseDecodingUserInfo }

    func decodeNil() -> Bool { row.hasNull(atIndex: index) }

    func convert<Value: DatabaseValueConvertible>(_ type: Value.Type) throws -> Value {
        try row.decodeWithStrategy(type, atUncheckedIndex: index, for: recordType)
            ?? row.convert(type, atUncheckedIndex: index)
    }
}
