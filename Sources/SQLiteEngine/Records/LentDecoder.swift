/// The decoder that a record's `init(from:)` receives.
///
/// The decoder accesses the row's ``RecordDecoder`` without reference counting, which would add two
/// atomic operations per row. The row retains the ``RecordDecoder`` while the row is current. A
/// decoder or container that escapes from `init(from:)` is invalid, and ``LentColumns`` detects its
/// use.
@usableFromInline
struct LentDecoder: Decoder {
    private let lent: LentColumns

    /// The decoder, or `nil` if the row retains the decoder.
    private let owner: RecordDecoder?

    @inline(__always)
    init(_ columns: RowColumns) {
        lent = columns.lent
        owner = nil
    }

    @inline(never)
    init(owning decoder: RecordDecoder) {
        lent = decoder.columns.lent
        owner = decoder
    }

    @inline(__always)
    private var decoder: RecordDecoder { lent.columns.decoder }

    @usableFromInline var codingPath: [any CodingKey] { decoder.codingPath }

    @usableFromInline var userInfo: [CodingUserInfoKey: Any] { decoder.userInfo }

    @usableFromInline
    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        decoder.container(keyedBy: type)
    }

    @usableFromInline
    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try decoder.unkeyedContainer()
    }

    @usableFromInline
    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        try decoder.singleValueContainer()
    }
}

extension LentDecoder {
    /// Returns the decoder that a row retains for a record type, or a new decoder if there is none.
    @usableFromInline
    static func decoder(of row: Row, for type: any FetchableRecord.Type) -> LentDecoder {
        if let columns = row.recordColumns {
            let lent = columns._withUnsafeGuaranteedRef { columns -> LentDecoder? in
                guard columns.recordTypeID == ObjectIdentifier(type) else { return nil }
                columns.beginRow()
                return LentDecoder(columns)
            }
            if let lent { return lent }
        }
        return makeDecoder(of: row, for: type)
    }

    @inline(never)
    private static func makeDecoder(
        of row: Row,
        for type: any FetchableRecord.Type
    ) -> LentDecoder {
        // The row retains its decoder, so the decoder must not retain the row.
        let decoder = RecordDecoder(row: row.newInstance, recordType: type)
        // A copied row stores no decoder, because threads can share the row.
        guard row.sqliteStatement != nil else { return LentDecoder(owning: decoder) }
        row.recordDecoder = decoder
        return LentDecoder(decoder.columns)
    }
}
