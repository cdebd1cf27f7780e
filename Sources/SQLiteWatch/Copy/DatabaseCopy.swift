#if os(Linux)
import Glibc

/// A consistent copy of a database that other processes may use at the same time.
///
/// Making a copy uses neither locks nor SQLite. The states before and after copying the files
/// determine whether the copy is consistent (see ``CopyCondition``).
///
/// Making a copy opens and closes the database files, which releases the calling process's locks on
/// them. A process that uses the database through SQLite must not make a copy.
package struct DatabaseCopy: Sendable {
    package enum Refusal: Error, Equatable {
        /// The copy exceeds the size limit.
        ///
        /// The value is the copy's size, in bytes.
        case tooLarge(UInt64)
        /// The folder's file system does not have enough space.
        ///
        /// The values are the copy's size and the free space, in bytes.
        case noRoom(UInt64, free: UInt64)
        /// The database changed during every attempt.
        ///
        /// The value describes the last change.
        case changing(String)
        /// The state depends on the files of other databases.
        case severalDatabases
        /// A file cannot be read or written, for the given reason.
        case failed(String)
        /// The progress function returned `false`.
        case stopped
    }

    /// The path of the copied database file.
    ///
    /// The copies of its other files are in the same folder.
    package var path: String
    /// The total size of all files, in bytes.
    package var bytes: UInt64

    private static let attemptLimit = 5
    /// The time between two attempts, in nanoseconds.
    private static let pause: UInt64 = 100_000_000

    /// Copies a database.
    ///
    /// - Parameters:
    ///   - path: The path of the database.
    ///   - folder: An empty folder for the copy.
    ///   - limit: The maximum size of the copy, in bytes.
    ///   - isInUse: Whether a process uses the database, which means that its wal-index is valid.
    ///   - progress: A function that receives the number of copied bytes and the size of the copy,
    ///     and returns whether to continue.
    /// - Returns: The copy.
    /// - Throws: The reason why the database cannot be copied.
    package static func make(
        of path: String,
        in folder: String,
        limit: UInt64,
        isInUse: Bool,
        progress: (_ copied: UInt64, _ size: UInt64) -> Bool = { _, _ in true }
    ) throws(Refusal) -> DatabaseCopy {
        let files = DatabaseFiles(path: Array(FilePath.resolved(path).utf8))
        let copy = folder + "/copy.sqlite"
        var reason = ""
        for attempt in 0..<Self.attemptLimit {
            if attempt > 0 { SystemClock.sleep(until: SystemClock.monotonic &+ Self.pause) }
            let before = CopyCondition(files.sample(probesReaders: false))
            if let problem = before.problem {
                reason = problem
                continue
            }
            if before.isFresh(at: SystemClock.calendarMilliseconds) {
                reason = "transactions write to it continuously"
                continue
            }
            if try Self.dependsOnOthers(before, files) { throw .severalDatabases }
            let suffixes = before.suffixes
            let size = before.size
            guard size <= limit else { throw .tooLarge(size) }
            if let free = Self.freeBytes(in: folder), free < size {
                throw .noRoom(size, free: free)
            }
            var bytes: UInt64 = 0
            for suffix in suffixes {
                var fileLimit = UInt64.max
                if suffix == "-wal", isInUse {
                    // Many obsolete frames may follow the valid frames.
                    fileLimit =
                        CopyCondition(files.sample(probesReaders: false)).logBytes ?? fileLimit
                }
                bytes += try Self.copy(
                    files.descriptor(of: suffix),
                    to: copy + suffix,
                    limit: fileLimit
                ) { progress(bytes + $0, size) }
            }
            let after = CopyCondition(files.sample(probesReaders: false))
            if let change = before.change(until: after) {
                reason = change
                for suffix in suffixes { unlink(copy + suffix) }
                continue
            }
            return DatabaseCopy(path: copy, bytes: bytes)
        }
        throw .changing(reason)
    }

    /// Returns whether the journal belongs to a transaction on several databases.
    ///
    /// Such a journal ends with the name of a super-journal
    /// (https://sqlite.org/fileformat2.html, section 3).
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

    /// Copies a file from its start and returns the number of bytes copied.
    private static func copy(
        _ source: Int32,
        to path: String,
        limit: UInt64,
        progress: (UInt64) -> Bool
    ) throws(Refusal) -> UInt64 {
        let target = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard target >= 0 else {
            throw .failed("\(path) cannot be created: \(String(cString: strerror(errno)))")
        }
        defer { close(target) }
        do throws(FileCopy.Failure) {
            return try FileCopy.copy(source, to: target, limit: limit, progress: progress)
        } catch {
            switch error {
            case .reading(let code):
                throw .failed("the database cannot be read: \(String(cString: strerror(code)))")
            case .writing(let code):
                throw .failed("the copy cannot be written: \(String(cString: strerror(code)))")
            case .stopped: throw .stopped
            }
        }
    }
}
#endif
