import Findings

/// The condition under which a copy of a database's files is consistent.
///
/// * With a wal-index, a checkpoint may change the database file during the copy, but only pages
///   that have a frame in the log. The log is copied last, so the copy contains the state of the
///   last commit unless the log was reset during the copy (https://sqlite.org/walformat.html,
///   section 4.4).
/// * With a log but no wal-index, or with a rollback journal, no file may change. A transaction
///   writes to the database file only while it holds the exclusive lock
///   (https://sqlite.org/lockingv3.html, section 5).
struct CopyCondition: Equatable {
    private let sample: FileSample
    private let files: ObservedFiles
    private let locks: Set<LockKind>

    /// The minimum time between the last change to the files and a copy, in nanoseconds.
    ///
    /// The kernel updates modification times only once per timer tick, so two changes within a
    /// shorter time may have the same modification time.
    private static let quietTime: Int64 = 20_000_000

    init(_ sample: FileSample) {
        self.sample = sample
        files = ObservedFiles(sample)
        // Locks of processes in other PID namespaces have process ID 0, which `writeLocks` ignores.
        let probes = sample.probes.map { probe in
            var probe = probe
            probe.process = max(probe.process, 1)
            return probe
        }
        locks = Set(LockBytes.writeLocks(probes).values.flatMap(\.held).map(\.kind))
    }

    /// Whether commits go to a log that the wal-index describes.
    private var hasIndex: Bool { files.isWAL && files.index != nil && files.wal != nil }

    /// Whether reading the last commit requires rolling back a journal.
    private var hasHotJournal: Bool {
        !files.isWAL && files.hasValidJournal && !locks.contains(.reserved)
    }

    /// The suffixes of the files to copy, starting with the database file.
    var suffixes: [String] {
        if files.isWAL, let wal = files.wal, wal.size > UInt64(WALHeader.length) {
            return ["", "-wal"]
        }
        return hasHotJournal ? ["", "-journal"] : [""]
    }

    /// The total size of the files to copy, in bytes.
    var size: UInt64 {
        let log = suffixes.contains("-wal") ? files.wal?.size ?? 0 : 0
        let journal = suffixes.contains("-journal") ? files.journal?.size ?? 0 : 0
        return files.database.size + (hasIndex ? min(log, logBytes ?? log) : log) + journal
    }

    /// The number of bytes in use in the log, or `nil` if no wal-index is available.
    var logBytes: UInt64? {
        guard let index = files.index, let pageSize = files.pageSize else { return nil }
        return UInt64(WALHeader.length)
            + UInt64(index.frames) * UInt64(pageSize + WALHeader.frameHeaderLength)
    }

    /// The reason why the database cannot be copied now, or `nil` if it can be copied.
    var problem: String? {
        guard files.state == .present else { return files.problem ?? "it cannot be read" }
        if locks.contains(.exclusive) || locks.contains(.pending) {
            return files.isWAL
                ? "a process uses it in exclusive locking mode" : "a transaction is writing to it"
        }
        if locks.contains(.recovery) { return "a process is recovering its log" }
        if files.isWAL, files.indexIdentity != nil, files.index == nil, (files.wal?.size ?? 0) > 0 {
            return "its wal-index cannot be read or is being changed"
        }
        return nil
    }

    /// Returns the change since this state that makes a copy inconsistent, or `nil` if there is
    /// none.
    func change(until later: CopyCondition) -> String? {
        if let problem = later.problem { return problem }
        guard files.database.identity == later.files.database.identity,
            files.isWAL == later.files.isWAL, suffixes == later.suffixes,
            hasIndex == later.hasIndex
        else { return "its files were replaced" }
        if hasIndex {
            let isUnchanged =
                files.indexIdentity == later.files.indexIdentity
                && files.wal?.identity == later.files.wal?.identity
                && files.index?.salt1 == later.files.index?.salt1
                && files.index?.salt2 == later.files.index?.salt2
            return isUnchanged ? nil : "its log was reset during the copy"
        }
        let isUnchanged =
            files.header == later.files.header
            && Self.isSame(sample.database, later.sample.database)
            && Self.isSame(sample.wal, later.sample.wal)
            && (!hasHotJournal || Self.isSame(sample.journal, later.sample.journal))
        return isUnchanged ? nil : "a transaction wrote to it during the copy"
    }

    private static func isSame(_ first: FileContent, _ second: FileContent) -> Bool {
        first.identity == second.identity && first.size == second.size
            && first.modified == second.modified
    }

    /// Returns whether the files changed so recently that a further change might go undetected.
    func isFresh(at milliseconds: Int64) -> Bool {
        guard !hasIndex else { return false }
        let last = max(sample.database.modified, sample.wal.modified, sample.journal.modified)
        return milliseconds * 1_000_000 - last < Self.quietTime && last <= milliseconds * 1_000_000
    }
}

#if os(Linux)
import CTrace
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
            if try Self.dependsOnOthers(before, files: files) { throw .severalDatabases }
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
        files: DatabaseFiles
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

/// A copy of a file that shares its blocks if the file system supports that, and preserves holes.
package struct FileCopy {
    package enum Failure: Error, Equatable {
        /// A file cannot be read or written, with the `errno`.
        case reading(Int32)
        case writing(Int32)
        /// The progress function returned `false`.
        case stopped
    }

    /// The number of bytes between two calls of the progress function.
    private static let step = 8 << 20

    /// Whether `copy_file_range` is unsupported for the two files.
    private var copiesThroughMemory = false
    private var buffer: [UInt8] = []

    /// Copies the start of a file to an empty file.
    ///
    /// - Parameters:
    ///   - source: The descriptor of the file.
    ///   - target: The descriptor of an empty file, open for writing.
    ///   - limit: The number of bytes to copy, which may exceed the size of the file.
    ///   - progress: A function that receives the number of copied bytes, and returns whether to
    ///     continue.
    /// - Returns: The number of copied bytes, including holes.
    /// - Throws: The reason why the file cannot be copied.
    package static func copy(
        _ source: Int32,
        to target: Int32,
        limit: UInt64 = .max,
        progress: (UInt64) -> Bool = { _ in true }
    ) throws(Failure) -> UInt64 {
        var information = stat()
        guard fstat(source, &information) == 0 else { throw .reading(errno) }
        let size = UInt64(max(0, information.st_size))
        let end = min(size, limit)
        if end == size, poolgauge_clone_file(target, source) == 0 {
            guard progress(end) else { throw .stopped }
            return end
        }
        var copy = FileCopy()
        var offset: UInt64 = 0
        while offset < end {
            // Without support for holes, the whole file is data.
            let data = lseek(source, off_t(offset), Self.seekData)
            if data < 0, errno == ENXIO { break }
            offset = max(offset, data < 0 ? offset : UInt64(data))
            let hole = lseek(source, off_t(offset), Self.seekHole)
            let dataEnd = hole < 0 ? end : min(end, UInt64(hole))
            guard offset < dataEnd else { break }
            while offset < dataEnd {
                let length = Int(min(UInt64(Self.step), dataEnd - offset))
                let count = try copy.range(from: source, to: target, at: offset, length: length)
                // The file may have become shorter.
                if count == 0 { return offset }
                offset += UInt64(count)
                guard progress(offset) else { throw .stopped }
            }
        }
        guard ftruncate(target, off_t(end)) == 0 else { throw .writing(errno) }
        return end
    }

    /// Lets an empty file share the blocks of another one, and returns whether that is possible.
    package static func shares(_ source: Int32, with target: Int32) -> Bool {
        poolgauge_clone_file(target, source) == 0
    }

    private mutating func range(
        from source: Int32,
        to target: Int32,
        at offset: UInt64,
        length: Int
    ) throws(Failure) -> Int {
        while !copiesThroughMemory {
            let count = poolgauge_copy_range(source, target, Int64(offset), length)
            if count >= 0 { return count }
            switch errno {
            case EINTR: continue
            case ENOSPC, EDQUOT, EFBIG: throw .writing(errno)
            // Another error may mean that the file systems do not support the call.
            default: copiesThroughMemory = true
            }
        }
        if buffer.count < length { buffer = [UInt8](repeating: 0, count: length) }
        let count = pread(source, &buffer, length, off_t(offset))
        guard count >= 0 else {
            if errno == EINTR {
                return try range(from: source, to: target, at: offset, length: length)
            }
            throw .reading(errno)
        }
        var written = 0
        while written < count {
            let result = buffer.withUnsafeBytes { bytes in
                pwrite(
                    target,
                    bytes.baseAddress.map { $0 + written },
                    count - written,
                    off_t(offset) + off_t(written)
                )
            }
            guard result > 0 || result < 0 && errno == EINTR else {
                throw .writing(result == 0 ? ENOSPC : errno)
            }
            written += max(0, result)
        }
        return count
    }

    /// The values of `SEEK_DATA` and `SEEK_HOLE`.
    private static let seekData: Int32 = 3
    private static let seekHole: Int32 = 4
}
#endif
