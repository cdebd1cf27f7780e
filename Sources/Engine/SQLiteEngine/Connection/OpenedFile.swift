import CSQLite
import Foundation
import Telemetry

/// The file that the first connection of a pool or a queue opened.
///
/// All connections must use the same file. If another file replaces the database file, the open
/// connections continue to use the original file. A connection to the new file would combine the
/// new file's content with the original file's log, and the data of a write to the original file
/// would be lost. See https://sqlite.org/howtocorrupt.html, section 2.4.
final class OpenedFile: Sendable {
    private struct Identity: Equatable, Sendable {
        var device: dev_t
        var inode: ino_t

        /// Reads the identity of a file without opening it.
        ///
        /// Closing the file would release this process's locks on the file.
        init?(path: String) {
            var information = stat()
            guard stat(path, &information) == 0 else { return nil }
            device = information.st_dev
            inode = information.st_ino
        }
    }

    private struct Record: Sendable {
        let path: String
        let identity: Identity
    }

    private let path: String
    private let record = Lock<Record?>(nil)

    init(path: String) { self.path = path }

    /// Records the file that a connection has opened, unless a file is already recorded.
    ///
    /// A database in memory has no file.
    func record(_ database: Database) {
        // SQLite's name is an absolute path, so it remains valid if the program changes its folder.
        guard let name = sqlite3_db_filename(database.handle, "main"), name.pointee != 0 else {
            return
        }
        let path = String(cString: name)
        guard let identity = Identity(path: path) else { return }
        record.withLock { record in
            if record == nil { record = Record(path: path, identity: identity) }
        }
    }

    /// Checks, before another connection opens the file, that the path still refers to it.
    ///
    /// - Throws: `SQLITE_CANTOPEN` if another file has replaced the recorded file.
    func check() throws {
        // SQLite reports a missing file.
        guard let recorded = record.withLock({ $0 }),
            let found = Identity(path: path.hasPrefix("file:") ? recorded.path : path),
            found != recorded.identity
        else { return }
        throw error(
            "another file has replaced the database file while it was open",
            action: "opening"
        )
    }

    /// Returns the error for a write by a connection whose file has been removed or replaced, or
    /// `nil` if the file is still there.
    func errorAfterMove() -> DatabaseError? {
        let path = record.withLock { $0?.path } ?? path
        if Identity(path: path) != nil {
            return error(
                "another file has replaced the database file while it was open",
                action: "writing to"
            )
        }
        // Other errors, such as a missing permission, do not concern an open file.
        guard errno == ENOENT || errno == ENOTDIR else { return nil }
        return error(
            "the database file was removed or renamed while it was open",
            action: "writing to"
        )
    }

    private func error(_ problem: String, action: String) -> DatabaseError {
        var error = DatabaseError(resultCode: .SQLITE_CANTOPEN, message: problem)
        error.explanation =
            "while \(action) `\(path)`: close the database, and open it again; to "
            + "replace the content of an open database, use `backup(to:)`"
        return error
    }
}

extension Database {
    /// Checks, before a write, that the data will be in the database files.
    ///
    /// SQLite makes this check only when it creates a rollback journal (`databaseIsUnmoved`).
    ///
    /// - Throws: `SQLITE_CANTOPEN` if a file has been removed or replaced.
    @inline(__always)
    func checkFilesBeforeWrite() throws {
        if let openedFile { try check(openedFile) }
    }

    @inline(never)
    private func check(_ file: OpenedFile) throws {
        try checkMainFile(file)
        guard kept.pointee.hasAttachedDatabase else { return }
        for name in try databaseNames() where name != "main" && name != "temp" && hasMoved(name) {
            guard let path = sqlite3_db_filename(handle, name).map({ String(cString: $0) }),
                let error = OpenedFile(path: path).errorAfterMove()
            else { continue }
            throw error
        }
    }

    private func checkMainFile(_ file: OpenedFile) throws {
        #if os(Linux)
        let change = movedFileWatch?.lastChange()
        if let change, change == seenChange { return }
        #endif
        if hasMoved("main") {
            if let error = file.errorAfterMove() { throw error }
            return
        }
        #if os(Linux)
        if let change { seenChange = change }
        #endif
    }

    /// Returns whether the path of a database no longer refers to the open file.
    func hasMoved(_ database: String) -> Bool {
        var hasMoved: CInt = 0
        let code = sqlite3_file_control(handle, database, SQLITE_FCNTL_HAS_MOVED, &hasMoved)
        return code == SQLITE_OK && hasMoved != 0
    }
}

#if os(Linux)
import Synchronization

/// Notices, without examining a path, that a database file may have been removed or renamed.
///
/// The kernel queues an event before the call that removes or renames a file returns, so a write
/// that starts later sees it. Asking for queued events takes a fifth of the time of `stat(2)`.
///
/// All watches of the process share one inotify instance, of which a user has 128 by default. An
/// event therefore concerns all files; each connection then examines its own file once.
final class MovedFileWatch: Sendable {
    private let events: InotifyEvents
    private let watches: [CInt]

    /// Watches an open file and the folders above it.
    ///
    /// The result is `nil` if the file system does not report all changes, for instance because other
    ///   computers make them, if a folder is not readable, or if the user has too many watches.
    ///
    /// - Parameter path: An absolute path without symbolic links.
    init?(path: String) {
        guard let events = InotifyEvents.shared, Self.reportsAllChanges(path),
            let resolved = realpath(path, nil)
        else { return nil }
        defer { free(resolved) }
        guard strcmp(resolved, path) == 0 else { return nil }
        var watches: [CInt] = []
        var url = URL(fileURLWithPath: path)
        var mask = UInt32(IN_ATTRIB | IN_MOVE_SELF | IN_DELETE_SELF)
        while url.path != "/" {
            guard let watch = events.add(url.path, mask: mask) else {
                events.remove(watches)
                return nil
            }
            watches.append(watch)
            mask = UInt32(IN_MOVE_SELF | IN_DELETE_SELF)
            url.deleteLastPathComponent()
        }
        self.events = events
        self.watches = watches
    }

    deinit { events.remove(watches) }

    /// Returns the number of the last change of any watched file.
    ///
    /// While the number is equal to the one before a successful examination, the file has not been
    /// moved.
    func lastChange() -> UInt64 { events.lastChange() }

    /// Whether inotify sees each change on the file system: network and overlay file systems also
    /// change elsewhere.
    private static func reportsAllChanges(_ path: String) -> Bool {
        var system = statfs()
        guard statfs(path, &system) == 0 else { return false }
        // ext2 to ext4, XFS, Btrfs, tmpfs, F2FS, ZFS, bcachefs: the numbers of `statfs(2)`.
        let local: Set<UInt32> = [
            0xEF53, 0x5846_5342, 0x9123_683E, 0x0102_1994, 0xF2F5_2010, 0x2FC1_2FC1, 0xCA45_1A4E,
        ]
        return local.contains(UInt32(truncatingIfNeeded: system.f_type))
    }
}

/// The process's inotify instance.
private final class InotifyEvents: Sendable {
    static let shared = InotifyEvents()

    private let descriptor: CInt
    private let changes = Atomic<UInt64>(1)
    /// The number of users of each watch; the kernel gives the same file the same watch.
    private let users = Mutex<[CInt: Int]>([:])
    /// A child process shares the queue with its parent and must not empty it.
    private static let isForked = Atomic<Bool>(false)

    private init?() {
        descriptor = inotify_init1(CInt(IN_NONBLOCK) | CInt(IN_CLOEXEC))
        guard descriptor >= 0 else { return nil }
        pthread_atfork(nil, nil) { InotifyEvents.isForked.store(true, ordering: .relaxed) }
    }

    func add(_ path: String, mask: UInt32) -> CInt? {
        users.withLock { users in
            let watch = inotify_add_watch(descriptor, path, mask)
            guard watch >= 0 else { return nil }
            users[watch, default: 0] += 1
            return watch
        }
    }

    func remove(_ watches: [CInt]) {
        users.withLock { users in
            for watch in watches {
                users[watch, default: 1] -= 1
                guard users[watch] == 0 else { continue }
                users[watch] = nil
                inotify_rm_watch(descriptor, watch)
            }
        }
    }

    func lastChange() -> UInt64 {
        var pending: CInt = 0
        guard !Self.isForked.load(ordering: .relaxed) else { return recordChange() }
        guard ioctl(descriptor, UInt(FIONREAD), &pending) == 0, pending == 0 else {
            // Another thread that finds the queue empty must see the new number.
            let change = recordChange()
            withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
                while read(descriptor, buffer.baseAddress, buffer.count) > 0 {}
            }
            return change
        }
        return changes.load(ordering: .acquiring)
    }

    private func recordChange() -> UInt64 {
        changes.add(1, ordering: .acquiringAndReleasing).newValue
    }
}
#endif
