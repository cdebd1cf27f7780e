#if os(Linux)
import Glibc

/// The files of one database, open for reading in the helper process.
///
/// The helper reads with `pread` instead of mapping files: the first connection to a database
/// truncates its `-shm` file, and accessing a truncated mapping would raise `SIGBUS`. The helper
/// queries locks but acquires none. Closing a descriptor releases all locks of the process on the
/// file, but the helper holds no locks because it does not use SQLite.
final class DatabaseFiles {
    /// A file that may appear, disappear, or be replaced.
    private struct OpenFile {
        let path: String
        var descriptor: Int32 = -1
        var identity: FileIdentity?
        /// The `errno` of the last attempt to open the file, or 0.
        var error: Int32 = 0
    }

    private var database: OpenFile
    private var wal: OpenFile
    private var index: OpenFile
    private var journal: OpenFile

    /// The result of the last query for locks on the database file in WAL mode.
    private var exclusiveLocks:
        (locks: [FileSample.Probe], identity: FileIdentity?, queriedAt: UInt64)?

    /// The time after which `exclusiveLocks` expires, in nanoseconds.
    private static let exclusiveLockLifetime: UInt64 = 50_000_000
    /// The number of attempts to read the wal-index while a writer changes its header.
    private static let attemptLimit = 50

    init(path: [UInt8]) {
        let text = String(decoding: path, as: UTF8.self)
        database = OpenFile(path: text)
        wal = OpenFile(path: text + "-wal")
        index = OpenFile(path: text + "-shm")
        journal = OpenFile(path: text + "-journal")
    }

    deinit {
        for file in [database, wal, index, journal] where file.descriptor >= 0 {
            close(file.descriptor)
        }
    }

    /// The file descriptor of the database, or -1.
    var databaseDescriptor: Int32 { database.descriptor }
    /// The file descriptor of the log, or -1.
    var walDescriptor: Int32 { wal.descriptor }

    /// Returns the descriptor from the last sample of the file with the given suffix, or -1.
    func descriptor(of suffix: String) -> Int32 {
        switch suffix {
        case "": database.descriptor
        case "-wal": wal.descriptor
        case "-shm": index.descriptor
        case "-journal": journal.descriptor
        default: -1
        }
    }

    /// Reads the headers and queries the write locks and, on request, the read locks.
    func sample(probesReaders: Bool) -> FileSample {
        var sample = FileSample()
        sample.database = Self.read(&database, count: DatabaseHeader.length)
        sample.wal = Self.read(&wal, count: WALHeader.length)
        sample.index = Self.read(&index, count: WALIndexHeader.length)
        if sample.index.error == 0 { makeConsistent(&sample.index.bytes) }
        sample.journal = Self.read(&journal, count: JournalHeader.length)
        let query = LockQuery(database: database.descriptor, index: index.descriptor)
        query.appendIndexWriteLocks(to: &sample.probes)
        sample.probes += databaseLocks(query, content: sample.database)
        if probesReaders { sample.probes += query.readLocks }
        sample.helperNanoseconds = SystemClock.process
        return sample
    }

    /// Returns whether the wal-index shows all changes to the database since a sample.
    ///
    /// In WAL mode, the wal-index shows each commit, reset, and checkpoint. Only complete samples
    /// show whether the files have been replaced or resized.
    func hasChangesInIndex(since sample: FileSample) -> Bool {
        DatabaseHeader(sample.database.bytes)?.isWAL == true && sample.index.isOpen
            && sample.index.bytes.count == WALIndexHeader.length
    }

    /// Appends the wal-index header, or returns `false` and appends nothing if the header cannot be
    /// read.
    func appendIndexHeader(to bytes: inout [UInt8]) -> Bool {
        withUnsafeTemporaryAllocation(byteCount: WALIndexHeader.length, alignment: 8) { buffer in
            guard let start = buffer.baseAddress else { return false }
            // A writer changes the two copies one after the other, so retry until they are equal.
            for _ in 0...Self.attemptLimit {
                guard pread(index.descriptor, start, buffer.count, 0) == buffer.count else {
                    return false
                }
                if memcmp(start, start + WALIndexHeader.copyLength, WALIndexHeader.copyLength) == 0
                {
                    break
                }
            }
            bytes.append(contentsOf: buffer)
            return true
        }
    }

    func appendIndexWriteLocks(to probes: inout [FileSample.Probe]) {
        LockQuery(database: database.descriptor, index: index.descriptor)
            .appendIndexWriteLocks(to: &probes)
    }

    /// The current wal-index header, or `nil` if it cannot be read.
    var indexHeader: WALIndexHeader? {
        guard index.descriptor >= 0,
            var bytes = Self.content(index.descriptor, count: WALIndexHeader.length)
        else { return nil }
        makeConsistent(&bytes)
        return WALIndexHeader(bytes)
    }

    /// Rereads a wal-index header until no writer is changing it, or until the attempts are
    /// exhausted.
    private func makeConsistent(_ bytes: inout [UInt8]) {
        for _ in 0..<Self.attemptLimit where !WALIndexHeader.isConsistent(bytes) {
            guard bytes.count == WALIndexHeader.length else { return }
            bytes = Self.content(index.descriptor, count: WALIndexHeader.length) ?? []
        }
    }

    /// Returns the write locks on the database file.
    ///
    /// In WAL mode, each connection holds a shared lock on this file, which makes queries
    /// expensive. Only exclusive locking mode excludes other connections, usually for a long time.
    /// The helper therefore queries these locks less often.
    private func databaseLocks(
        _ query: LockQuery,
        content: FileContent
    ) -> [FileSample.Probe] {
        let now = SystemClock.monotonic
        let isWAL = DatabaseHeader(content.bytes)?.isWAL == true
        if isWAL, let known = exclusiveLocks, known.identity == content.identity,
            now &- known.queriedAt < Self.exclusiveLockLifetime
        {
            return known.locks
        }
        let locks = query.databaseWriteLocks
        exclusiveLocks = isWAL ? (locks, content.identity, now) : nil
        return locks
    }

    /// Reads the first bytes of the file at a path, and reopens the path if it refers to a
    /// different file.
    private static func read(_ file: inout OpenFile, count: Int) -> FileContent {
        var content = FileContent()
        guard let information = FilePath.status(file.path) else {
            content.error = errno
            forget(&file)
            return content
        }
        let identity = FileIdentity(information)
        content.identity = identity
        content.size = UInt64(max(0, information.st_size))
        content.modified =
            Int64(information.st_mtim.tv_sec) &* 1_000_000_000
            &+ Int64(information.st_mtim.tv_nsec)
        guard information.st_mode & S_IFMT == S_IFREG else {
            content.isSpecial = true
            forget(&file)
            return content
        }
        if file.identity != identity { forget(&file) }
        if file.descriptor < 0 {
            open(&file, identity: identity)
            guard file.descriptor >= 0 else {
                content.error = file.error
                return content
            }
        }
        guard let bytes = Self.content(file.descriptor, count: count) else {
            content.error = errno
            return content
        }
        content.bytes = bytes
        return content
    }

    private static func open(_ file: inout OpenFile, identity: FileIdentity) {
        func descriptor(_ flags: Int32) -> Int32 {
            FilePath.open(file.path, flags: O_RDONLY | O_NONBLOCK | O_NOCTTY | flags)
        }
        // Only the owner of a file may open it without updating its access time.
        var opened = descriptor(noAccessTime)
        if opened < 0, errno == EPERM { opened = descriptor(0) }
        file.error = opened < 0 ? errno : 0
        file.descriptor = opened
        file.identity = identity
    }

    private static func forget(_ file: inout OpenFile) {
        if file.descriptor >= 0 { close(file.descriptor) }
        file.descriptor = -1
        file.identity = nil
    }

    private static func content(_ descriptor: Int32, count: Int) -> [UInt8]? {
        var failed = false
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, length in
            let result = pread(descriptor, buffer.baseAddress, count, 0)
            failed = result < 0
            length = max(0, result)
        }
        return failed ? nil : bytes
    }
}

/// The value of `O_NOATIME`.
private let noAccessTime: Int32 = 0o1_000_000

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
