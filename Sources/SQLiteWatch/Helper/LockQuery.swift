#if os(Linux)
import Glibc

/// A type that queries the locks on open files without acquiring any.
///
/// `F_OFD_GETLK` returns one lock that conflicts with the requested lock. The kernel walks the
/// file's list of locks for each query, so the duration of a query grows with the number of locks:
/// with 600 locks, a query takes 30 µs.
struct LockQuery {
    /// The descriptor of the database, or -1.
    var database: Int32
    /// The descriptor of the wal-index, or -1.
    var index: Int32

    private struct Conflict {
        var bytes: Range<UInt64>
        /// The process ID of the holder, or 0 if the holder is not visible.
        var process: Int32
    }

    private static let indexBytes = LockBytes.writer..<LockBytes.firstReader
    private static let sharedBytes = LockBytes.shared.lowerBound..<LockBytes.shared.upperBound + 1
    private static let databaseBytes = LockBytes.pending..<sharedBytes.upperBound

    // A query for a read lock conflicts only with write locks, so it finds the same locks that
    // LockBytes finds in /proc/locks.

    func appendIndexWriteLocks(to probes: inout [FileSample.Probe]) {
        Self.forEachConflict(in: Self.indexBytes, with: F_RDLCK, index) { conflict in
            for byte in Self.indexBytes where conflict.bytes.contains(byte) {
                probes.append(
                    FileSample.Probe(
                        byte: byte,
                        isIndex: true,
                        isWrite: true,
                        process: conflict.process
                    )
                )
            }
        }
    }

    var databaseWriteLocks: [FileSample.Probe] {
        var found: [FileSample.Probe] = []
        let starts = [LockBytes.pending, LockBytes.reserved, Self.sharedBytes.lowerBound]
        Self.forEachConflict(in: Self.databaseBytes, with: F_RDLCK, database) { conflict in
            found += starts.filter(conflict.bytes.contains).map { byte in
                FileSample.Probe(
                    byte: byte,
                    isIndex: false,
                    isWrite: true,
                    process: conflict.process
                )
            }
        }
        return found
    }

    /// The read locks, with at most one holder of each read mark and of the shared lock.
    var readLocks: [FileSample.Probe] {
        var found = (LockBytes.firstReader..<LockBytes.attached).compactMap { byte in
            Self.conflict(in: byte..<byte + 1, with: F_WRLCK, index).map {
                FileSample.Probe(byte: byte, isIndex: true, isWrite: false, process: $0.process)
            }
        }
        if let shared = Self.conflict(in: Self.sharedBytes, with: F_WRLCK, database) {
            found.append(
                FileSample.Probe(
                    byte: Self.sharedBytes.lowerBound,
                    isIndex: false,
                    isWrite: false,
                    process: shared.process
                )
            )
        }
        return found
    }

    /// Calls a closure with each conflicting lock.
    ///
    /// The ranges are disjoint because write locks exclude each other.
    private static func forEachConflict(
        in bytes: Range<UInt64>,
        with type: Int32,
        _ descriptor: Int32,
        _ body: (Conflict) -> Void
    ) {
        guard !bytes.isEmpty, let found = conflict(in: bytes, with: type, descriptor) else {
            return
        }
        body(found)
        let below = bytes.lowerBound..<found.bytes.lowerBound
        let above = found.bytes.upperBound..<bytes.upperBound
        forEachConflict(in: below, with: type, descriptor, body)
        forEachConflict(in: above, with: type, descriptor, body)
    }

    /// Returns one conflicting lock, clamped to `bytes`, or `nil` if there is none.
    private static func conflict(
        in bytes: Range<UInt64>,
        with type: Int32,
        _ descriptor: Int32
    ) -> Conflict? {
        guard descriptor >= 0 else { return nil }
        var query = flock()
        query.l_type = Int16(type)
        query.l_whence = Int16(SEEK_SET)
        query.l_start = off_t(bytes.lowerBound)
        query.l_len = off_t(bytes.count)
        guard fcntl(descriptor, getLock, &query) == 0, query.l_type != Int16(F_UNLCK),
            query.l_start >= 0, query.l_len >= 0
        else { return nil }
        let start = UInt64(query.l_start)
        // A length of 0 extends to the end of the file, even if the file grows.
        let end = query.l_len == 0 ? UInt64.max : start + UInt64(query.l_len)
        let found = (start..<end).clamped(to: bytes)
        // Some file systems may report a lock outside the queried bytes.
        return found.isEmpty ? nil : Conflict(bytes: found, process: query.l_pid)
    }

    /// The value of `F_OFD_GETLK`.
    private static let getLock: Int32 = 36
}
#endif
