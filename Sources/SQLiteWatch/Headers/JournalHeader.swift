/// The first bytes of a rollback journal (https://sqlite.org/fileformat2.html, section 3).
struct JournalHeader: Equatable, Sendable {
    static let length = 28

    /// The number of pages that the journal can restore, or `nil` if the file size determines it.
    var records: UInt32?
    /// The number of pages in the database before the transaction.
    var initialPages: UInt32

    /// Parses a header, or returns `nil` if the bytes are not a header.
    ///
    /// The header of a completed transaction's journal may be zeroed.
    init?(_ bytes: [UInt8]) {
        let field = ByteField(bytes)
        guard field.matches(Self.magic, at: 0), let records = field.big32(8),
            let initialPages = field.big32(16)
        else { return nil }
        self.records = records == .max ? nil : records
        self.initialPages = initialPages
    }

    /// The magic bytes at the start of a journal, and at the end of a journal that names a
    /// super-journal.
    static let magic: [UInt8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]
}
