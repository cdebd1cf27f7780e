#if os(Linux)
import CSQLite
import Foundation
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
