import Foundation

/// A decoder that reads a value from a single column.
final class ColumnDecoder: SingleValueDecoder {
    private let row: Row
    private let index: Int
    private let recordType: any FetchableRecord.Type
    let codingPath: [any CodingKey]
    var requiresJSON = false
    var userInfo: [CodingUserInfoKey: Any] { recordType.databaseDecodingUserInfo }

    init(
        row: Row,
        index: Int,
        recordType: any FetchableRecord.Type,
        codingPath: [any CodingKey]
    ) {
        self.row = row
        self.index = index
        self.recordType = recordType
        self.codingPath = codingPath
    }

    var mayBeJSON: Bool { row.databaseValue(atUncheckedIndex: index).startsAsJSON }

    func decodeNil() -> Bool { row.hasNull(atIndex: index) }

    func convert<Value: DatabaseValueConvertible>(_ type: Value.Type) throws -> Value {
        try row.decodeWithStrategy(type, atUncheckedIndex: index, for: recordType)
            ?? row.convert(type, atUncheckedIndex: index)
    }
}

/// The decoder that a JSON decoder passes to a type.
///
/// With this decoder, a record can request containers of the JSON in a column.
struct JSONContent: Decodable {
    let decoder: any Decoder

    init(from decoder: any Decoder) { self.decoder = decoder }
}
