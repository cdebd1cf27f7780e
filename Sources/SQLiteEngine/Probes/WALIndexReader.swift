/// Reads the wal-index of an open database from the memory that SQLite shares with all its
/// connections, without opening a file.
///
/// The layout is that of https://sqlite.org/walformat.html, section 2.1: `mxFrame` at byte 16 of
/// the header, `nBackfill` at byte 96.
final class WALIndexReader: Sendable {
    private let slot: AccessSlot

    init(slot: AccessSlot) { self.slot = slot }

    /// The frames of the log, and how many of them are in the database file; nil when the
    /// connection is closed or has no wal-index.
    func counts() -> (frames: UInt32, checkpointed: UInt32)? {
        slot.withWALIndex { index in
            let words = index.assumingMemoryBound(to: UInt32.self)
            return (words[16 / 4], words[96 / 4])
        }
    }
}
