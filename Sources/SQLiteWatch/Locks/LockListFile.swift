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
#endif
