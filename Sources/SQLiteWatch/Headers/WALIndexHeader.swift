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
