/// The first 100 bytes of a database file (https://sqlite.org/fileformat2.html, section 1.3).
struct DatabaseHeader: Equatable, Sendable {
    /// The bytes that a header has.
    static let length = 100

    /// Bytes in a page.
    var pageSize: Int
    /// Whether the file's format versions ask for a write-ahead log.
    var isWAL: Bool
    /// Changes with each transaction of a rollback journal; at most once in exclusive mode.
    var changeCounter: UInt32
    /// Pages of the file; nil when an old writer left the field invalid.
    var pages: UInt32?
    /// Pages of the file that hold nothing.
    var freePages: UInt32
    var autoVacuum: AutoVacuum
    /// The encoding of texts; nil for a file without a schema.
    var encoding: TextEncodingName?
    var userVersion: Int32
    var applicationID: UInt32
    /// Bytes at the end of each page that no b-tree uses.
    var reservedBytes: Int

    /// Parses a header; nil when the bytes are not one.
    init?(_ bytes: [UInt8]) {
        let field = ByteField(bytes)
        guard field.has(Self.magic, at: 0),
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

/// What happens to pages that become free.
public enum AutoVacuum: String, Sendable, Codable, Equatable {
    /// They stay in the file for later use.
    case none
    /// Each commit returns them to the file system.
    case full
    /// `PRAGMA incremental_vacuum` returns them.
    case incremental
}

/// The encoding of a database's texts.
public enum TextEncodingName: String, Sendable, Codable, Equatable {
    /// UTF-8.
    case utf8 = "UTF-8"
    /// UTF-16, least significant byte first.
    case utf16LittleEndian = "UTF-16le"
    /// UTF-16, most significant byte first.
    case utf16BigEndian = "UTF-16be"

    init?(field: UInt32) {
        switch field {
        case 1: self = .utf8
        case 2: self = .utf16LittleEndian
        case 3: self = .utf16BigEndian
        default: return nil
        }
    }
}
