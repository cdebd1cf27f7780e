#if os(Linux)
import Glibc

/// A type that reads the locks on specific files from `/proc/locks`.
///
/// Each call to `read` returns at most one page of `/proc/locks`, and Linux unlocks its list
/// between calls (`seq_read_iter` in `fs/seq_file.c`). If a lock that was already listed is
/// released between two calls, the result omits a lock that is held continuously. While a process
/// changes 10,000 locks per second, this affects 0.4% of the results. A list of several pages is
/// therefore read again if it lacks a lock from the previous list.
struct LockList {
    /// The maximum length of a list that is certain to come from one call, in bytes: one page minus
    /// one line.
    static let onePageLength = 4096 - 256

    private var last: Set<FileLock> = []

    /// Returns the locks on files with the given inodes.
    ///
    /// This method calls the closure, which reads the list, once or twice.
    mutating func locks(on inodes: Set<UInt64>, read: () -> [UInt8]) -> [FileLock] {
        let text = read()
        var locks = LockTable.parse(text, inodes: inodes)
        var known = Set(locks)
        if text.count > Self.onePageLength, !last.isSubset(of: known) {
            for lock in LockTable.parse(read(), inodes: inodes) where known.insert(lock).inserted {
                locks.append(lock)
            }
        }
        last = known
        return locks
    }
}
#endif
