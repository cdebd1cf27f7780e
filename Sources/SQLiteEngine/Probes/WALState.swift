import CSQLite

/// The state of a write-ahead log according to the wal-index.
///
/// The wal-index starts with two copies of a header, with the page size at byte 14, `mxFrame` at
/// byte 16, and the first salt at byte 32. `nBackfill` follows at byte 96, and five read marks
/// follow at byte 100 (https://sqlite.org/walformat.html, section 2.1).
struct WALState: Equatable {
    static let markCount = 5
    /// The value of a mark that is not in use.
    static let unused = UInt32.max

    /// The number of valid frames in the log.
    var frames: UInt32 = 0
    /// The number of these frames that are already in the database file.
    var checkpointed: UInt32 = 0
    /// A number that changes when the log is restarted.
    var generation: UInt32 = 0
    /// The page size in bytes, or 0 while the log is empty.
    var pageSize = 0
    /// The read marks, indexed by mark number.
    ///
    /// A reader on mark `n > 0` reads the log up to frame `marks[n]`; a reader on mark 0 reads only
    /// the database file. A mark keeps its value after its reader has ended.
    var marks: [UInt32] {
        get { (0..<Self.markCount).map { storedMarks[$0] } }
        set { for mark in 0..<Self.markCount { storedMarks[mark] = newValue[mark] } }
    }

    /// The marks, stored without an allocation because each write reads them.
    private var storedMarks = SIMD8<UInt32>()

    init() {}

    /// Reads a wal-index, or returns `nil` while its header is being written.
    init?(_ index: UnsafeRawPointer) {
        var header = poolgauge_wal_header()
        guard poolgauge_wal_header_read(index, &header) != 0 else { return nil }
        withUnsafeBytes(of: header) { header in
            let size = Int(header.load(fromByteOffset: 14, as: UInt16.self))
            // A page size of 65,536 bytes is stored as 1.
            pageSize = (size & 0xfe00) + ((size & 1) << 16)
            frames = header.load(fromByteOffset: 16, as: UInt32.self)
            generation = header.load(fromByteOffset: 32, as: UInt32.self)
        }
        checkpointed = min(frames, index.load(fromByteOffset: 96, as: UInt32.self))
        for mark in 0..<Self.markCount {
            storedMarks[mark] = index.load(fromByteOffset: 100 + 4 * mark, as: UInt32.self)
        }
    }
}

/// A position in a log: a generation and a number of frames, in one word for an atomic.
struct WALPosition: Equatable {
    let word: UInt64

    init(word: UInt64) { self.word = word }

    init(generation: UInt32, frames: UInt32) {
        word = UInt64(generation) << 32 | UInt64(frames)
    }

    /// Reads the current end of the log.
    ///
    /// If the log restarts between the two loads, the position is too old. Such a position never
    /// causes a reader to be missed.
    @inline(__always)
    init(_ index: UnsafeRawPointer) {
        self.init(
            generation: index.load(fromByteOffset: 32, as: UInt32.self),
            frames: index.load(fromByteOffset: 16, as: UInt32.self)
        )
    }

    /// Returns the last frame of this position that `log` still contains, or 0 if the log has since
    /// been restarted.
    func frames(in log: WALState) -> UInt32 {
        UInt32(truncatingIfNeeded: word >> 32) == log.generation
            ? UInt32(truncatingIfNeeded: word) : 0
    }
}
