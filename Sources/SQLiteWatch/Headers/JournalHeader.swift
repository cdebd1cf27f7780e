/// The first bytes of a rollback journal (https://sqlite.org/fileformat2.html, section 3).
struct JournalHeader: Equatable, Sendable {
    /// The bytes that are read.
    static let length = 28

    /// Pages that the journal can restore; nil when its size tells.
    var records: UInt32?
    /// Pages of the database before the transaction.
    var initialPages: UInt32

    /// Parses a header; nil when the bytes are not one: a journal that is zeroed was ended.
    init?(_ bytes: [UInt8]) {
        let field = ByteField(bytes)
        guard field.has(Self.magic, at: 0), let records = field.big32(8),
            let initialPages = field.big32(16)
        else { return nil }
        self.records = records == .max ? nil : records
        self.initialPages = initialPages
    }

    /// The bytes that a journal starts with; or that end the name of another journal.
    static let magic: [UInt8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]
}
