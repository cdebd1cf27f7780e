import Findings

/// The first 136 bytes of a `-shm` file, in this machine's byte order
/// (https://sqlite.org/walformat.html, section 3.1).
struct WALIndexHeader: Equatable, Sendable {
    static let length = 136
    /// The length of each of the two copies of the index information, in bytes.
    static let copyLength = 48
    static let markCount = 5

    /// The number of commits that changed a page since the wal-index was built.
    var change: UInt32
    /// The page size, in bytes, or `nil` until the first frame of a log is written.
    var pageSize: Int?
    /// The number of valid frames in the log.
    var frames: UInt32
    /// The number of pages in the database, including pages that are only in the log.
    var pages: UInt32
    /// A number that increases by one with each reset of the log.
    var salt1: UInt32
    /// A random number that changes with each reset.
    var salt2: UInt32
    /// The number of frames that checkpoints have copied to the database file.
    var backfilled: UInt32
    /// The last frame of each read mark, or `nil` for unused marks.
    var marks: [UInt32?]
}

extension WALIndexHeader {
    /// Parses a header.
    ///
    /// - Returns: The header, or `nil` if the checksum is wrong, the bytes are not a header, or the
    ///   two copies differ because a writer is changing them. In the last case, read the bytes
    ///   again.
    init?(_ bytes: [UInt8]) {
        let field = ByteField(bytes)
        guard bytes.count >= Self.length, bytes[0..<48].elementsEqual(bytes[48..<96]),
            field.native32(0) == 3_007_000, field.byte(12) == 1,
            let change = field.native32(8),
            let sizeField = field.native16(14),
            sizeField == 0 || PageSize.size(sizeField) != nil,
            let frames = field.native32(16), let pages = field.native32(20),
            // The salts are copied from the log, which stores numbers in big-endian order.
            let salt1 = field.big32(32), let salt2 = field.big32(36),
            let sum1 = field.native32(40), let sum2 = field.native32(44),
            let backfilled = field.native32(96)
        else { return nil }
        var checksum = WALChecksum()
        checksum.add(bytes, 0..<40, isBigEndian: 1.bigEndian == 1)
        guard checksum == WALChecksum(sum1, sum2) else { return nil }
        self.change = change
        pageSize = PageSize.size(sizeField)
        self.frames = frames
        self.pages = pages
        self.salt1 = salt1
        self.salt2 = salt2
        // A reset writes the header before it sets `backfilled` to zero.
        self.backfilled = min(backfilled, frames)
        marks = (0..<Self.markCount).map { mark in
            field.native32(100 + 4 * mark).flatMap { $0 == .max ? nil : $0 }
        }
    }

    /// Returns whether both copies of the header are equal, which means that no writer is changing
    /// them.
    static func isConsistent(_ bytes: [UInt8]) -> Bool {
        bytes.count >= length && bytes[0..<48].elementsEqual(bytes[48..<96])
    }

    /// Returns the number of frames that no checkpoint can copy while a reader holds a mark.
    ///
    /// A reader on mark 0 reads only the database file and blocks changes to it.
    ///
    /// - Returns: The number of frames, or `nil` if the mark is unused.
    func pinnedFrames(mark: Int) -> UInt32? {
        guard marks.indices.contains(mark) else { return nil }
        if mark == 0 { return frames - backfilled }
        guard let frame = marks[mark] else { return nil }
        return frames - min(frames, max(frame, backfilled))
    }
}

/// The first 32 bytes of a `-wal` file (https://sqlite.org/walformat.html, section 2.1).
struct WALHeader: Equatable, Sendable {
    static let length = 32
    /// The length of the header before each page, in bytes.
    static let frameHeaderLength = 24

    /// The page size, in bytes.
    var pageSize: Int
    /// Whether checksums use big-endian words.
    var isBigEndian: Bool
    /// The number of times that checkpoints reset the log.
    var sequence: UInt32
    /// A number that increases by one with each reset of the log.
    var salt1: UInt32
    /// A random number that changes with each reset.
    var salt2: UInt32
    /// The checksum of the header, which is the initial value for the checksum of the first frame.
    var checksum: WALChecksum

    /// Parses a header, or returns `nil` if the bytes are not a header or its checksum is wrong.
    init?(_ bytes: [UInt8]) {
        let field = ByteField(bytes)
        guard let magic = field.big32(0), magic & ~1 == 0x377f_0682,
            field.big32(4) == 3_007_000,
            let pageSize = field.big32(8).flatMap(PageSize.valid),
            let sequence = field.big32(12), let salt1 = field.big32(16),
            let salt2 = field.big32(20), let sum1 = field.big32(24), let sum2 = field.big32(28)
        else { return nil }
        let isBigEndian = magic & 1 == 1
        var checksum = WALChecksum()
        checksum.add(bytes, 0..<24, isBigEndian: isBigEndian)
        guard checksum == WALChecksum(sum1, sum2) else { return nil }
        self.pageSize = pageSize
        self.isBigEndian = isBigEndian
        self.sequence = sequence
        self.salt1 = salt1
        self.salt2 = salt2
        self.checksum = checksum
    }

    /// Returns the number of complete frames that fit in a log of `bytes` bytes.
    static func frames(in bytes: UInt64, pageSize: Int) -> UInt64 {
        bytes < UInt64(length) ? 0 : (bytes - UInt64(length)) / UInt64(pageSize + frameHeaderLength)
    }
}

/// SQLite's checksum for logs and wal-indexes (https://sqlite.org/walformat.html, section 4.1).
struct WALChecksum: Equatable, Sendable {
    private(set) var first: UInt32 = 0
    private(set) var second: UInt32 = 0

    init() {}

    init(_ first: UInt32, _ second: UInt32) {
        self.first = first
        self.second = second
    }

    /// Adds the bytes in a range, in groups of eight.
    ///
    /// This method ignores an incomplete last group and offsets that are out of bounds.
    mutating func add(_ bytes: [UInt8], _ range: Range<Int>, isBigEndian: Bool) {
        let field = ByteField(bytes)
        var offset = range.lowerBound
        while offset + 8 <= range.upperBound {
            guard let word1 = field.big32(offset), let word2 = field.big32(offset + 4) else {
                return
            }
            first &+= (isBigEndian ? word1 : word1.byteSwapped) &+ second
            second &+= (isBigEndian ? word2 : word2.byteSwapped) &+ first
            offset += 8
        }
    }
}

/// A type that reads integers from bytes that another program wrote, with bounds checks.
///
/// Reading past the end returns `nil`, so truncated and malformed files never cause a trap.
struct ByteField {
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var count: Int { bytes.count }

    func byte(_ offset: Int) -> UInt8? {
        offset >= 0 && offset < bytes.count ? bytes[offset] : nil
    }

    /// Returns the big-endian 16-bit integer at an offset.
    func big16(_ offset: Int) -> UInt16? {
        guard let high = byte(offset), let low = byte(offset + 1) else { return nil }
        return UInt16(high) << 8 | UInt16(low)
    }

    /// Returns the big-endian 32-bit integer at an offset.
    func big32(_ offset: Int) -> UInt32? {
        guard let high = big16(offset), let low = big16(offset + 2) else { return nil }
        return UInt32(high) << 16 | UInt32(low)
    }

    /// Returns the 16-bit integer at an offset, in this machine's byte order.
    func native16(_ offset: Int) -> UInt16? { big16(offset).map { UInt16(bigEndian: $0) } }

    /// Returns the 32-bit integer at an offset, in this machine's byte order.
    func native32(_ offset: Int) -> UInt32? { big32(offset).map { UInt32(bigEndian: $0) } }

    /// Returns the SQLite varint at an offset, with its length of one to nine bytes.
    func varint(_ offset: Int) -> (value: UInt64, length: Int)? {
        var value: UInt64 = 0
        for index in 0..<9 {
            guard let byte = byte(offset + index) else { return nil }
            if index == 8 { return (value << 8 | UInt64(byte), 9) }
            value = value << 7 | UInt64(byte & 0x7f)
            if byte & 0x80 == 0 { return (value, index + 1) }
        }
        return nil
    }

    func bytes(_ range: Range<Int>) -> [UInt8]? {
        range.lowerBound >= 0 && range.upperBound <= bytes.count ? Array(bytes[range]) : nil
    }

    func matches(_ expected: some Collection<UInt8>, at offset: Int) -> Bool {
        guard offset >= 0, offset + expected.count <= bytes.count else { return false }
        return bytes[offset..<offset + expected.count].elementsEqual(expected)
    }
}

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

/// The page sizes that SQLite accepts, which are powers of two from 512 to 65,536.
enum PageSize {
    /// Returns the page size in a 16-bit header field, where 1 means 65,536, or `nil` if it is
    /// invalid.
    static func size(_ field: UInt16) -> Int? { valid(field == 1 ? 65_536 : UInt32(field)) }

    /// Returns the size if SQLite accepts it, or `nil` otherwise.
    static func valid(_ size: UInt32) -> Int? {
        guard (512...65_536).contains(size), size.nonzeroBitCount == 1 else { return nil }
        return Int(size)
    }
}
