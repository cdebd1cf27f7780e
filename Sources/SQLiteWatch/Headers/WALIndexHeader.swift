/// The first 136 bytes of a `-shm` file, in this machine's byte order
/// (https://sqlite.org/walformat.html, section 3.1).
struct WALIndexHeader: Equatable, Sendable {
    /// The bytes that are read.
    static let length = 136
    /// The read marks that a wal-index has.
    static let markCount = 5

    /// Counts the commits that changed a page since the wal-index was built.
    var change: UInt32
    /// Bytes in a page; nil before the first frame of a log is written.
    var pageSize: Int?
    /// The last valid frame of the log.
    var frames: UInt32
    /// Pages of the database, with the log's.
    var pages: UInt32
    /// Increases by one with each reset of the log.
    var salt1: UInt32
    /// A random number, another one after each reset.
    var salt2: UInt32
    /// The frames that a checkpoint copied to the database file.
    var backfilled: UInt32
    /// The frame of each read mark; nil for one that is not in use.
    var marks: [UInt32?]
}

extension WALIndexHeader {
    /// Parses a header.
    ///
    /// - Returns: nil when the two copies differ (a writer was at work: read again), when the
    ///   checksum is wrong, or when the bytes are not a header.
    init?(_ bytes: [UInt8]) {
        let field = ByteField(bytes)
        guard bytes.count >= Self.length, bytes[0..<48].elementsEqual(bytes[48..<96]),
            field.native32(0) == 3_007_000, field.byte(12) == 1,
            let change = field.native32(8),
            let sizeField = field.native16(14),
            sizeField == 0 || PageSize.size(sizeField) != nil,
            let frames = field.native32(16), let pages = field.native32(20),
            // The salts are copied from the log, whose numbers are big-endian everywhere.
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
        // A reset zeroes the count after it wrote the header: never more than there are.
        self.backfilled = min(backfilled, frames)
        marks = (0..<Self.markCount).map { mark in
            field.native32(100 + 4 * mark).flatMap { $0 == .max ? nil : $0 }
        }
    }

    /// Whether both copies of the header are equal, so that no writer is at work on them.
    static func isConsistent(_ bytes: [UInt8]) -> Bool {
        bytes.count >= length && bytes[0..<48].elementsEqual(bytes[48..<96])
    }

    /// The frames that cannot be copied to the database while a reader holds a mark.
    ///
    /// A reader on mark 0 reads the database file alone and keeps it from being changed.
    ///
    /// - Returns: nil when the mark is not in use.
    func pinnedFrames(mark: Int) -> UInt32? {
        guard marks.indices.contains(mark) else { return nil }
        if mark == 0 { return frames - backfilled }
        guard let frame = marks[mark] else { return nil }
        return frames - min(frames, max(frame, backfilled))
    }
}
