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
