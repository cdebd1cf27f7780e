#if os(Linux)
import Glibc

/// A consistent copy of a database that other processes may use at the same time.
///
/// It is made without a lock and without SQLite: the files are copied, and the state before and
/// after decides whether the copy is consistent (see ``CopyCondition``).
///
/// This opens and closes the database's files in the calling process, which drops that process's
/// locks on them. A process that uses the database through SQLite must not make a copy.
package struct DatabaseCopy: Sendable {
    /// Why there is no copy.
    package enum Refusal: Error, Equatable {
        /// The copy would have so many bytes.
        case tooLarge(UInt64)
        /// It would have so many bytes, of which the folder's file system has room for fewer.
        case noRoom(UInt64, free: UInt64)
        /// The database was being changed at each attempt; in words.
        case changing(String)
        /// It depends on files of other databases.
        case severalDatabases
        /// A file cannot be read or written; in words.
        case failed(String)
    }

    /// The path of the copy of the database file; the copies of its other files are beside it.
    package var path: String
    /// The size of all files.
    package var bytes: UInt64

    private static let attempts = 5
    /// Nanoseconds between two attempts.
    private static let pause: UInt64 = 100_000_000

    /// Copies a database.
    ///
    /// - Parameters:
    ///   - path: The database.
    ///   - folder: An empty folder for the copy.
    ///   - limit: The most bytes to copy.
    ///   - isInUse: Whether processes use the database: its wal-index is then valid.
    /// - Returns: The copy.
    /// - Throws: A ``Refusal``.
    package static func make(
        of path: String,
        in folder: String,
        limit: UInt64,
        isInUse: Bool
    ) throws(Refusal) -> DatabaseCopy {
        let files = DatabaseFiles(path: Array(FilePath.resolved(path).utf8))
        let copy = folder + "/copy.sqlite"
        var reason = ""
        for attempt in 0..<Self.attempts {
            if attempt > 0 { SystemClock.sleep(until: SystemClock.monotonic &+ Self.pause) }
            let before = CopyCondition(files.sample(probesReaders: false))
            if let problem = before.problem {
                reason = problem
                continue
            }
            if before.isFresh(at: SystemClock.calendarMilliseconds) {
                reason = "transactions write to it without a pause"
                continue
            }
            if try Self.dependsOnOthers(before, files) { throw .severalDatabases }
            let plan = before.suffixes
            let size = before.size
            guard size <= limit else { throw .tooLarge(size) }
            if let free = Self.freeBytes(in: folder), free < size {
                throw .noRoom(size, free: free)
            }
            var bytes: UInt64 = 0
            for suffix in plan {
                var most = UInt64.max
                if suffix == "-wal", isInUse {
                    // Frames of earlier logs follow those in use, and may be many.
                    most = CopyCondition(files.sample(probesReaders: false)).logBytes ?? most
                }
                bytes += try Self.copy(files.descriptor(of: suffix), to: copy + suffix, most: most)
            }
            let after = CopyCondition(files.sample(probesReaders: false))
            if let change = before.change(until: after) {
                reason = change
                for suffix in plan { unlink(copy + suffix) }
                continue
            }
            return DatabaseCopy(path: copy, bytes: bytes)
        }
        throw .changing(reason)
    }

    /// Whether the journal belongs to a transaction of several databases: its last bytes then name
    /// another journal (https://sqlite.org/fileformat2.html, section 3).
    private static func dependsOnOthers(
        _ condition: CopyCondition,
        _ files: DatabaseFiles
    ) throws(Refusal) -> Bool {
        guard condition.suffixes.contains("-journal") else { return false }
        let descriptor = files.descriptor(of: "-journal")
        let end = lseek(descriptor, 0, SEEK_END)
        var tail = [UInt8](repeating: 0, count: JournalHeader.magic.count)
        guard end >= tail.count else { return false }
        guard pread(descriptor, &tail, tail.count, end - off_t(tail.count)) == tail.count else {
            throw .failed("the journal cannot be read: \(String(cString: strerror(errno)))")
        }
        return tail == JournalHeader.magic
    }

    private static func freeBytes(in folder: String) -> UInt64? {
        var information = statvfs()
        guard statvfs(folder, &information) == 0 else { return nil }
        return UInt64(information.f_bavail) * UInt64(information.f_frsize)
    }

    /// Copies a file from its start, and returns the number of bytes.
    private static func copy(
        _ source: Int32,
        to path: String,
        most: UInt64
    ) throws(Refusal) -> UInt64 {
        let target = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard target >= 0 else {
            throw .failed("\(path) cannot be created: \(String(cString: strerror(errno)))")
        }
        defer { close(target) }
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        var offset: UInt64 = 0
        while offset < most {
            let wanted = Int(min(UInt64(buffer.count), most - offset))
            let count = pread(source, &buffer, wanted, off_t(offset))
            guard count >= 0 else {
                if errno == EINTR { continue }
                throw .failed("the database cannot be read: \(String(cString: strerror(errno)))")
            }
            if count == 0 { break }
            var written = 0
            while written < count {
                let result = buffer.withUnsafeBytes { bytes in
                    write(target, bytes.baseAddress.map { $0 + written }, count - written)
                }
                guard result > 0 || errno == EINTR else {
                    throw .failed("the copy cannot be written: \(String(cString: strerror(errno)))")
                }
                written += max(0, result)
            }
            offset += UInt64(count)
        }
        return offset
    }
}
#endif
