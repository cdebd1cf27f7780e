/// A b-tree in the schema: a row of `sqlite_schema` with a root page.
struct SchemaEntry: Equatable, Sendable {
    var isIndex: Bool
    var name: String
    var root: UInt32

    /// The maximum length of a name, in bytes.
    private static let nameLimit = 256

    /// Parses the start of a row's record (https://sqlite.org/fileformat2.html, section 2.1), or
    /// returns `nil` if the row has no root page or is malformed.
    init?(_ record: [UInt8]) {
        let field = ByteField(record)
        guard let (headerLength, first) = field.varint(0), headerLength <= 64 else { return nil }
        var offset = first
        var types: [UInt64] = []
        while offset < Int(headerLength), types.count < 5 {
            guard let (type, length) = field.varint(offset) else { return nil }
            types.append(type)
            offset += length
        }
        guard types.count == 5 else { return nil }
        var place = Int(headerLength)
        var values: [[UInt8]] = []
        // Read type, name, tbl_name, and rootpage. The SQL text after them is not needed.
        for type in types.prefix(4) {
            guard let length = Self.length(of: type), length <= record.count,
                let value = field.bytes(place..<place + length)
            else { return nil }
            values.append(value)
            place += length
        }
        let root =
            types[3] == 9
            ? 1 : types[3] == 8 ? 0 : values[3].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard let root = UInt32(exactly: root), root > 0 else { return nil }
        let kind = String(decoding: values[0], as: UTF8.self).filter { $0 != "\0" }
        guard kind == "table" || kind == "index" else { return nil }
        isIndex = kind == "index"
        name = String(decoding: values[1].prefix(Self.nameLimit), as: UTF8.self)
        self.root = root
    }

    private static func length(of type: UInt64) -> Int? {
        switch type {
        case 0, 8, 9: 0
        case 1...4: Int(type)
        case 5: 6
        case 6, 7: 8
        case 10, 11: nil
        default: type > 1 << 24 ? nil : Int((type - 12) / 2)
        }
    }
}
