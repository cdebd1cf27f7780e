import Foundation
import Scenarios
import Telemetry

/// An object that finds the processes that hold locks on a busy database, if the system reports
/// them.
///
/// Linux lists the locks of all processes in `/proc/locks`. This type reads only that list. It
/// never opens the database file, because closing any of that file's descriptors would release
/// all of this process's locks on the file.
final class LockHolders: Sendable {
    private struct State: Sendable {
        var counts: [String: UInt64] = [:]
        var nextRead: UInt64 = 0
        var lastHolder = unknown
    }

    struct Entry: Equatable {
        var process: Int32
        var inode: UInt64
        var isWrite: Bool
        var start: UInt64
    }

    /// The name of a holder that has released its lock or that the system does not report.
    static let unknown = "unknown"
    static let thisProcess = "this process"
    /// The minimum time between two reads of the list, in nanoseconds.
    ///
    /// Reading the list takes longer than an access.
    private static let minimumInterval: UInt64 = 2_000_000

    private let path: String
    private let processes: ClientProcesses?
    private let state = Lock(State())

    init(path: String, processes: ClientProcesses?) {
        self.path = path
        self.processes = processes
    }

    var counts: [String: UInt64] { state.withLock { $0.counts } }

    /// Counts an access that found the database busy.
    ///
    /// If the list was read recently, this method reuses the previous holder.
    ///
    /// - Returns: The holder, and whether it was found for the first time.
    func countBusy(in process: Int32, at now: UInt64) -> (holder: String, isNew: Bool) {
        let mayRead = state.withLock { state in
            guard now >= state.nextRead else { return false }
            state.nextRead = now &+ Self.minimumInterval
            return true
        }
        let found = mayRead ? holder(otherThan: process) : nil
        return state.withLock { state in
            if let found { state.lastHolder = found }
            let name = state.lastHolder
            state.counts[name, default: 0] += 1
            return (name, state.counts[name] == 1 && name != Self.unknown)
        }
    }

    /// The other processes that hold a lock, with writers first, or an empty array if the system
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
        // Prefer the writer, which blocks other writers. Otherwise, use any exclusive lock.
        let writer = others.first { $0.isWrite && Self.isWriteLock($0) }
        guard let entry = writer ?? others.first(where: \.isWrite) else { return Self.unknown }
        return name(of: entry.process)
    }

    private func name(of process: Int32) -> String {
        if process == getpid() { return Self.thisProcess }
        if let client = processes?.client(of: process) { return "process of \(client)" }
        let command = try? String(contentsOfFile: "/proc/\(process)/comm", encoding: .utf8)
        let name = command.map { $0.filter { !$0.isNewline } } ?? "process"
        return "\(name) (process \(process))"
    }

    /// Returns whether the lock belongs to a writer.
    ///
    /// A writer locks the database file's PENDING and RESERVED bytes or the wal-index's write
    /// lock (<https://sqlite.org/walformat.html#wal_locks>).
    private static func isWriteLock(_ entry: Entry) -> Bool {
        entry.start == 120 || (0x4000_0000...0x4000_0001).contains(entry.start)
    }

    private static func inode(of path: String) -> UInt64? {
        var status = stat()
        return stat(path, &status) == 0 ? UInt64(status.st_ino) : nil
    }

    /// Parses the POSIX locks in the text of `/proc/locks`, omitting locks that a process waits
    /// for.
    ///
    /// An example of a line is `1: POSIX ADVISORY WRITE 14490 fe:00:5382715 120 120`.
    static func entries(in text: String) -> [Entry] {
        text.split(separator: "\n").compactMap { line in
            // An arrow marks a waiting process.
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

/// The processes of clients with `style: process`, one per worker.
final class ClientProcesses: Sendable {
    private struct Key: Hashable {
        var client: String
        var worker: Int
    }

    private let command: RemoteTarget.Command
    private let arm: Arm
    private let path: String
    private let targets = Lock<[Key: RemoteTarget]>([:])

    init(_ command: RemoteTarget.Command, arm: Arm, path: String) {
        self.command = command
        self.arm = arm
        self.path = path
    }

    /// Returns the target in a worker's process, starting the process if necessary.
    func target(of client: String, worker: Int) throws -> any WorkloadTarget {
        let key = Key(client: client, worker: worker)
        if let target = targets.withLock({ $0[key] }) { return target }
        var clientArm = arm
        clientArm.name = client
        let target = try RemoteTarget(command, clientArm, at: path)
        targets.withLock { $0[key] = target }
        return target
    }

    func client(of process: Int32) -> String? {
        targets.withLock { targets in
            targets.first { $0.value.processIdentifier == process }?.key.client
        }
    }

    func interrupt() {
        for target in targets.withLock({ Array($0.values) }) { target.interrupt() }
    }

    func close() {
        let all = targets.withLock { targets in
            defer { targets = [:] }
            return Array(targets.values)
        }
        for target in all { target.close() }
    }
}
