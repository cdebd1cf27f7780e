#if os(Linux)
import Glibc

/// Reads the locks on some files from the system's list.
///
/// Each call to `read` returns at most one page of `/proc/locks`, and Linux unlocks its list
/// between calls (`seq_read_iter` in `fs/seq_file.c`). If an earlier lock is released between two
/// calls, the list skips a lock that is held continuously. Alongside a process that changes 10,000
/// locks per second, this affects 0.4% of the lists. If a list of several pages lacks a lock from
/// the previous list, it is therefore read again.
struct LockList {
    /// The maximum length of a list that certainly came from one call, in bytes: a page minus one
    /// line.
    static let page = 4096 - 256

    private var last: Set<FileLock> = []

    /// Returns the locks on files with one of the inodes.
    ///
    /// - Parameters:
    ///   - inodes: The inodes of the files.
    ///   - read: A closure that reads the list. It is called once or twice.
    /// - Returns: The locks.
    mutating func locks(on inodes: Set<UInt64>, read: () -> [UInt8]) -> [FileLock] {
        let text = read()
        var locks = LockTable.parse(text, inodes: inodes)
        var known = Set(locks)
        if text.count > Self.page, !last.isSubset(of: known) {
            for lock in LockTable.parse(read(), inodes: inodes) where known.insert(lock).inserted {
                locks.append(lock)
            }
        }
        last = known
        return locks
    }
}
#endif
