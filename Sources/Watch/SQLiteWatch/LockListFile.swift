#if os(Linux)
import Glibc

/// The system's list of all locks, `/proc/locks`, open for reading.
final class LockListFile {
    private let descriptor: Int32
    private var list = LockList()

    /// The maximum size of the list, in bytes.
    private static let limit = 1 << 24
    /// The size of one read, in bytes.
    ///
    /// Linux returns at most one page.
    private static let readLength = 4096

    /// Opens the list.
    ///
    /// - Throws: ``WatchError`` if `/proc` is not mounted or hides the list.
    init() throws(WatchError) {
        descriptor = open("/proc/locks", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw WatchError(
                .processes,
                "/proc/locks cannot be read: \(String(cString: strerror(errno))); mount /proc"
            )
        }
    }

    deinit { close(descriptor) }

    /// Reads the locks on files with the given inodes.
    func locks(on inodes: Set<UInt64>) -> [FileLock] {
        list.locks(on: inodes) { read() }
    }

    /// Reads the entire list.
    ///
    /// Each call to `read` briefly blocks the lock requests of all processes and waits for an RCU
    /// grace period, which takes milliseconds (`locks_start` in `fs/locks.c`). Reading therefore
    /// stops when a result leaves room for another line in the page, because the list is then
    /// complete.
    private func read() -> [UInt8] {
        lseek(descriptor, 0, SEEK_SET)
        var content: [UInt8] = []
        while content.count < Self.limit {
            var result = 0
            content.append(
                contentsOf: [UInt8](unsafeUninitializedCapacity: Self.readLength) { buffer, count in
                    repeat {
                        result = Glibc.read(descriptor, buffer.baseAddress, Self.readLength)
                    } while result < 0 && errno == EINTR
                    count = max(0, result)
                }
            )
            if result <= LockList.onePageLength { break }
        }
        return content
    }
}

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
