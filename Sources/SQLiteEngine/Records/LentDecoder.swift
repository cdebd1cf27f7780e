/// The decoder that a record's `init(from:)` is given: it reaches the row's ``RecordDecoder``
/// without counting references.
///
/// The row has the decoder for as long as it is shown, so that counting, two atomic operations for
/// each row, would say nothing. A decoder that left `init(from:)` is as void as a container that
/// did: ``LentColumns`` finds it out.
@usableFromInline
struct LentDecoder: Decoder {
    private let lent: LentColumns

    /// The decoder of a row that keeps none; nil for all others.
    private let owner: RecordDecoder?

    /// Lends the decoder that a row keeps.
    @inline(__always)
    init(_ columns: RowColumns) {
        lent = columns.lent
        owner = nil
    }

    /// Keeps a decoder that nobody else has.
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
    /// The decoder that a row has, if it has one for a type of record; else a new one.
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
        // The row owns its decoder, and the decoder must not own the row.
        let decoder = RecordDecoder(row: row.twin, recordType: type)
        // Threads may share a row that was copied: it keeps nothing.
        guard row.sqliteStatement != nil else { return LentDecoder(owning: decoder) }
        row.recordDecoder = decoder
        return LentDecoder(decoder.columns)
    }
}
