import CSQLite

/// The wal-index of a database, which is the shared memory that describes its write-ahead log.
///
/// This object is the only owner of the pointer. The memory is mapped separately from SQLite's
/// mapping and stays readable regardless of the connection. If a program changes the journal mode
/// through the C connection, the contents become outdated but remain readable.
///
/// For the layout, see <https://sqlite.org/walformat.html>, section 2.1. Only the first page is
/// mapped. It contains both headers and the read marks.
///
/// `@unchecked Sendable`: the memory never moves and is read with atomic loads.
final class WALIndex: @unchecked Sendable {
    let memory: UnsafeRawPointer

    /// Maps the wal-index of a connection that has read in WAL mode.
    ///
    /// - Returns: `nil` if the connection has no shared wal-index, such as when the database is not
    ///   in WAL mode or the connection is in exclusive locking mode.
    init?(_ handle: SQLiteConnection?) {
        guard let handle, let memory = poolgauge_wal_index_map(poolgauge_wal_index(handle)) else {
            return nil
        }
        self.memory = memory
    }

    deinit { poolgauge_wal_index_unmap(memory) }

    /// Returns whether the connection is known to still use this wal-index.
    ///
    /// The salts in the header identify a log, but a log without frames has no salts, and its
    /// header is the same in every database. In this case, the method returns `false`. It can also
    /// return `false` during a commit.
    func isUsed(by handle: SQLiteConnection?) -> Bool {
        guard let handle, let current = poolgauge_wal_index(handle) else { return false }
        var header = poolgauge_wal_header()
        return poolgauge_wal_header_read(current, &header) != 0
            && poolgauge_wal_frames(&header) > 0
            && poolgauge_wal_header_is(memory, &header) != 0
    }
}
