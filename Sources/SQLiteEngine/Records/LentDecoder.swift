/// The decoder that is passed to a record's `init(from:)`.
///
/// It accesses the row's ``RecordDecoder`` without reference counting.
///
/// The row retains the decoder while the row is current. Reference counting, which costs two atomic
/// operations per row, is therefore unnecessary. A decoder that escapes from `init(from:)` is
/// invalid, like an escaped container; ``LentColumns`` detects its use.
@usableFromInline
struct LentDecoder: Decoder {
    private let lent: LentColumns

    /// The decoder of a row that does not retain one; nil for all other rows.
    private let owner: RecordDecoder?

    /// Lends the decoder that a row retains.
    @inline(__always)
    init(_ columns: RowColumns) {
        lent = columns.lent
        owner = nil
    }

    /// Retains a decoder that has no other owner.
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
    /// Returns the decoder that a row has for a type of record, or a new decoder.
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
        // The row owns its decoder, so the decoder must not own the row.
        let decoder = RecordDecoder(row: row.newInstance, recordType: type)
        // Threads may share a copied row, so it stores no decoder.
        guard row.sqliteStatement != nil else { return LentDecoder(owning: decoder) }
        row.recordDecoder = decoder
        return LentDecoder(decoder.columns)
    }
}
