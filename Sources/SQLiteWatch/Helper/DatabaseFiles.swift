#if os(Linux)
import Glibc

/// The files of one database, open to read in the helper process.
///
/// It reads with `pread` and maps nothing: the first connection to a database truncates its `-shm`
/// file, and a mapped page would then raise `SIGBUS`. It queries locks and sets none. Closing a
/// descriptor drops all locks that a process has on the file; the helper has none to lose, because
/// it does not use SQLite.
final class DatabaseFiles {
    /// One file, which may appear, disappear and be replaced.
    private struct OpenFile {
        let path: [UInt8]
        var descriptor: Int32 = -1
        var identity: FileIdentity?
        /// Why it cannot be opened; another try follows when the file changes its identity.
        var error: Int32 = 0
    }

    private var database: OpenFile
    private var wal: OpenFile
    private var index: OpenFile
    private var journal: OpenFile

    /// The locks of the database in WAL mode, of its file, as of a moment.
    private var exclusiveLocks: (locks: [FileSample.Probe], identity: FileIdentity?, at: UInt64)?

    /// Nanoseconds for which they are taken as known.
    private static let exclusivePause: UInt64 = 50_000_000
    /// How often the wal-index is read again while a writer is at work on its header.
    private static let attempts = 50

    init(path: [UInt8]) {
        func file(_ suffix: String) -> OpenFile { OpenFile(path: path + suffix.utf8 + [0]) }
        database = file("")
        wal = file("-wal")
        index = file("-shm")
        journal = file("-journal")
    }

    deinit {
        for file in [database, wal, index, journal] where file.descriptor >= 0 {
            close(file.descriptor)
        }
    }

    /// The descriptor of the database, or -1.
    var databaseDescriptor: Int32 { database.descriptor }
    /// The descriptor of the log, or -1.
    var walDescriptor: Int32 { wal.descriptor }

    /// The descriptor of the file with a suffix, as of the last sample, or -1.
    func descriptor(of suffix: String) -> Int32 {
        switch suffix {
        case "": database.descriptor
        case "-wal": wal.descriptor
        case "-shm": index.descriptor
        case "-journal": journal.descriptor
        default: -1
        }
    }

    /// Reads the headers and queries the locks to write; those to read only if asked to.
    func sample(probesReaders: Bool) -> FileSample {
        var sample = FileSample()
        sample.database = Self.read(&database, count: DatabaseHeader.length)
        sample.wal = Self.read(&wal, count: WALHeader.length)
        sample.index = Self.read(&index, count: WALIndexHeader.length)
        if sample.index.error == 0 { makeConsistent(&sample.index.bytes) }
        sample.journal = Self.read(&journal, count: JournalHeader.length)
        let query = LockQuery(database: database.descriptor, index: index.descriptor)
        sample.probes = query.indexWriteLocks + databaseLocks(query, sample.database)
        if probesReaders { sample.probes += query.readLocks }
        sample.helperNanoseconds = SystemClock.process
        return sample
    }

    /// Reads what a commit changes and queries the locks to write; nil where that is not enough.
    ///
    /// In WAL mode, the wal-index shows each commit, reset and checkpoint. Whether the files have
    /// been replaced or resized, complete samples show.
    func update(_ last: FileSample) -> FileSample.Update? {
        guard DatabaseHeader(last.database.bytes)?.isWAL == true, last.index.isOpen,
            last.index.bytes.count == WALIndexHeader.length, last.index.identity == index.identity,
            var bytes = Self.content(index.descriptor, count: WALIndexHeader.length)
        else { return nil }
        makeConsistent(&bytes)
        let query = LockQuery(database: database.descriptor, index: index.descriptor)
        return FileSample.Update(
            indexBytes: bytes,
            probes: query.indexWriteLocks + databaseLocks(query, last.database)
        )
    }

    /// The header of the wal-index, read again; nil where it cannot be.
    var indexHeader: WALIndexHeader? {
        guard index.descriptor >= 0,
            var bytes = Self.content(index.descriptor, count: WALIndexHeader.length)
        else { return nil }
        makeConsistent(&bytes)
        return WALIndexHeader(bytes)
    }

    /// Reads a header of the wal-index again while a writer changes it.
    private func makeConsistent(_ bytes: inout [UInt8]) {
        for _ in 0..<Self.attempts where !WALIndexHeader.isConsistent(bytes) {
            guard bytes.count == WALIndexHeader.length else { return }
            bytes = Self.content(index.descriptor, count: WALIndexHeader.length) ?? []
        }
    }

    /// The locks of the database that exclude all others.
    ///
    /// In WAL mode, each connection has a lock there, so that a query is expensive, and only
    /// exclusive locking mode excludes others, for a long time: they are queried less often.
    private func databaseLocks(
        _ query: LockQuery,
        _ content: FileContent
    ) -> [FileSample.Probe] {
        let now = SystemClock.monotonic
        let isWAL = DatabaseHeader(content.bytes)?.isWAL == true
        if isWAL, let known = exclusiveLocks, known.identity == content.identity,
            now &- known.at < Self.exclusivePause
        {
            return known.locks
        }
        let locks = query.databaseWriteLocks
        exclusiveLocks = isWAL ? (locks, content.identity, now) : nil
        return locks
    }

    /// Opens a file again when another one has its name, and reads its first bytes.
    private static func read(_ file: inout OpenFile, count: Int) -> FileContent {
        var content = FileContent()
        var information = stat()
        let status = file.path.withUnsafeBufferPointer { path in
            path.withMemoryRebound(to: CChar.self) { path in
                path.baseAddress.map { stat($0, &information) } ?? -1
            }
        }
        guard status == 0 else {
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
            open(&file, identity)
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

    private static func open(_ file: inout OpenFile, _ identity: FileIdentity) {
        func descriptor(_ flags: Int32) -> Int32 {
            file.path.withUnsafeBufferPointer { path in
                path.withMemoryRebound(to: CChar.self) { path in
                    path.baseAddress.map {
                        Glibc.open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK | flags)
                    } ?? -1
                }
            }
        }
        // Only the owner of a file may leave its time of access unchanged.
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

/// `O_NOATIME`.
private let noAccessTime: Int32 = 0o1_000_000
#endif
