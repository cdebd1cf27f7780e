import Findings

/// The first 100 bytes of a database file (https://sqlite.org/fileformat2.html, section 1.3).
struct DatabaseHeader: Equatable, Sendable {
    static let length = 100

    /// The page size, in bytes.
    var pageSize: Int
    /// Whether the file's format versions specify a write-ahead log.
    var isWAL: Bool
    /// A counter that changes with each rollback-journal transaction.
    ///
    /// In exclusive locking mode, the counter changes at most once.
    var changeCounter: UInt32
    /// The number of pages, or `nil` if an old version of SQLite left the field invalid.
    var pages: UInt32?
    var freePages: UInt32
    var autoVacuum: AutoVacuum
    /// The text encoding, or `nil` for a file without a schema.
    var encoding: TextEncodingName?
    var userVersion: Int32
    var applicationID: UInt32
    /// The number of bytes that are reserved at the end of each page.
    var reservedBytes: Int

    /// Parses a header, or returns `nil` if the bytes are not a valid header.
    init?(_ bytes: [UInt8]) {
        let field = ByteField(bytes)
        guard field.matches(Self.magic, at: 0),
            let pageSize = field.big16(16).flatMap(PageSize.size),
            let writeVersion = field.byte(18), let readVersion = field.byte(19),
            let reserved = field.byte(20), pageSize - Int(reserved) >= 480,
            let changeCounter = field.big32(24), let pages = field.big32(28),
            let freePages = field.big32(36), let largestRoot = field.big32(52),
            let encoding = field.big32(56), let userVersion = field.big32(60),
            let incremental = field.big32(64), let applicationID = field.big32(68),
            let validFor = field.big32(92)
        else { return nil }
        self.pageSize = pageSize
        isWAL = writeVersion == 2 && readVersion == 2
        self.changeCounter = changeCounter
        self.pages = validFor == changeCounter && pages > 0 ? pages : nil
        self.freePages = freePages
        autoVacuum = largestRoot == 0 ? .none : incremental == 0 ? .full : .incremental
        self.encoding = TextEncodingName(field: encoding)
        self.userVersion = Int32(bitPattern: userVersion)
        self.applicationID = applicationID
        reservedBytes = Int(reserved)
    }

    private static let magic = Array("SQLite format 3\0".utf8)
}
