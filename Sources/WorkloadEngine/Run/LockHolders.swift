import Foundation
import Telemetry

/// Who else holds the locks of a database that was found busy, where the system tells.
///
/// Linux lists the locks of all processes in `/proc/locks`: it is read, never the file itself,
/// since closing any descriptor of it would drop this process's own locks.
final class LockHolders: Sendable {
    private struct State: Sendable {
        var counts: [String: UInt64] = [:]
        var nextLook: UInt64 = 0
        var last = unknown
    }

    /// A lock as the system lists it.
    struct Entry: Equatable {
        var process: Int32
        var inode: UInt64
        var isWrite: Bool
        var start: UInt64
    }

    /// Who is named when nobody holds a lock any more, or the system does not tell.
    static let unknown = "unknown"
    /// The time between two looks, in nanoseconds: a look takes longer than an access.
    private static let interval: UInt64 = 2_000_000

    private let path: String
    private let processes: ClientProcesses?
    private let state = Lock(State())

    /// Looks at the locks of the database at `path`.
    init(path: String, processes: ClientProcesses?) {
        self.path = path
        self.processes = processes
    }

    /// How often each holder was named.
    var counts: [String: UInt64] { state.withLock { $0.counts } }

    /// Counts an access that found the database busy.
    ///
    /// - Parameters:
    ///   - process: The process that made the access.
    ///   - now: The time, on the clock: between two looks the last answer stands.
    /// - Returns: The holder, when it is named for the first time.
    func countBusy(in process: Int32, at now: UInt64) -> String? {
        let mayLook = state.withLock { state in
            guard now >= state.nextLook else { return false }
            state.nextLook = now &+ Self.interval
            return true
        }
        let seen = mayLook ? holder(otherThan: process) : nil
        return state.withLock { state in
            if let seen { state.last = seen }
            let name = state.last
            state.counts[name, default: 0] += 1
            return state.counts[name] == 1 && name != Self.unknown ? name : nil
        }
    }

    /// The other processes that hold a lock now, those that write first; empty where the system
    /// does not report them.
    var current: [String] {
        guard let text = try? String(contentsOfFile: "/proc/locks", encoding: .utf8) else {
            return []
        }
        let files = Set([path, path + "-shm"].compactMap(Self.inode))
        let others = Self.entries(in: text).filter {
            files.contains($0.inode) && $0.process != getpid()
        }
        let writers = others.filter { $0.isWrite && Self.isWriteLock($0) }
        var names: [String] = []
        for entry in writers + others {
            let name = name(of: entry.process)
            if !names.contains(name) { names.append(name) }
        }
        return names
    }

    private func holder(otherThan process: Int32) -> String {
        guard let text = try? String(contentsOfFile: "/proc/locks", encoding: .utf8) else {
            return Self.unknown
        }
        let files = Set([path, path + "-shm"].compactMap(Self.inode))
        let others = Self.entries(in: text).filter {
            files.contains($0.inode) && $0.process != process
        }
        // Who writes is in the way of writers; where nobody does, any other lock is.
        let writer = others.first { $0.isWrite && Self.isWriteLock($0) }
        guard let entry = writer ?? others.first(where: \.isWrite) else { return Self.unknown }
        return name(of: entry.process)
    }

    private func name(of process: Int32) -> String {
        if process == getpid() { return "this process" }
        if let client = processes?.client(of: process) { return "process of \(client)" }
        let command = try? String(contentsOfFile: "/proc/\(process)/comm", encoding: .utf8)
        let name = command.map { $0.filter { !$0.isNewline } } ?? "process"
        return "\(name) (process \(process))"
    }

    /// Whether the range is one that a writer locks: RESERVED and PENDING of the database file, or
    /// the write lock of the wal-index (<https://sqlite.org/walformat.html#wal_locks>).
    private static func isWriteLock(_ entry: Entry) -> Bool {
        entry.start == 120 || (0x4000_0000...0x4000_0001).contains(entry.start)
    }

    private static func inode(of path: String) -> UInt64? {
        var status = stat()
        return stat(path, &status) == 0 ? UInt64(status.st_ino) : nil
    }

    /// The POSIX locks of a listing: `1: POSIX  ADVISORY  WRITE 14490 fe:00:5382715 120 120`.
    static func entries(in text: String) -> [Entry] {
        text.split(separator: "\n").compactMap { line in
            // One that waits has an arrow before it.
            let fields = line.split(separator: " ").filter { $0 != "->" }
            guard fields.count >= 7, fields[1] == "POSIX", let process = Int32(fields[4]),
                let inode = fields[5].split(separator: ":").last.flatMap({ UInt64($0) }),
                let start = UInt64(fields[6]), !line.contains("->")
            else { return nil }
            return Entry(
                process: process,
                inode: inode,
                isWrite: fields[3] == "WRITE",
                start: start
            )
        }
    }
}
