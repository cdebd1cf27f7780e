/// The decoder that a record's `init(from:)` receives.
///
/// The decoder accesses the row's ``RecordDecoder`` without reference counting, which would add two
/// atomic operations per row. The row retains the ``RecordDecoder``. A decoder or container must
/// not outlive `init(from:)`; ``BorrowedColumns`` detects its use after the columns are
/// deallocated.
@usableFromInline
struct BorrowedDecoder: Decoder {
    private let borrowed: BorrowedColumns

    /// The record decoder, or `nil` if the row retains it.
    private let owner: RecordDecoder?

    @inline(__always)
    init(_ columns: RowColumns) {
        borrowed = columns.borrowed
        owner = nil
    }

    @inline(never)
    init(owning decoder: RecordDecoder) {
        borrowed = decoder.columns.borrowed
        owner = decoder
    }

    @inline(__always)
    private var decoder: RecordDecoder { borrowed.columns.decoder }

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

extension BorrowedDecoder {
    /// Returns the decoder that a row retains for a record type, or creates a decoder if there is
    /// none.
    @usableFromInline
    static func decoder(of row: Row, for type: any FetchableRecord.Type) -> BorrowedDecoder {
        if let columns = row.recordColumns {
            let borrowed = columns._withUnsafeGuaranteedRef { columns -> BorrowedDecoder? in
                guard columns.recordTypeID == ObjectIdentifier(type) else { return nil }
                columns.beginRow()
                return BorrowedDecoder(columns)
            }
            if let borrowed { return borrowed }
        }
        return makeDecoder(of: row, for: type)
    }

    @inline(never)
    private static func makeDecoder(
        of row: Row,
        for type: any FetchableRecord.Type
    ) -> BorrowedDecoder {
        // The row retains its decoder, so the decoder must not retain the row.
        let decoder = RecordDecoder(row: row.newInstance, recordType: type)
        // A copied row stores no decoder, because threads can share the row.
        guard row.sqliteStatement != nil else { return BorrowedDecoder(owning: decoder) }
        row.recordDecoder = decoder
        return BorrowedDecoder(decoder.columns)
    }
}
