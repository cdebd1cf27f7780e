#if os(Linux)
import Findings
import Glibc

/// A scan that finds the processes that have watched files open by listing their descriptors.
///
/// In rollback mode, an idle connection holds no lock, so only its descriptor reveals it. A scan of
/// 300 processes takes about 50 ms, so it is divided into slices with a time limit.
struct DescriptorScan {
    /// The database number of each watched file, by the file's identity from `stat`.
    private var files: [FileIdentity: Int] = [:]
    private var filesOfDatabase: [Int: [FileIdentity]] = [:]
    /// The paths of the watched files.
    private var paths = StrayFileSearch()
    /// The processes that have each database open, by the database's number.
    private(set) var users: [Int: Set<Int32>] = [:]
    /// What the descriptors of each process show, by the database's number.
    private(set) var uses: [Int: [Int32: DescriptorUse]] = [:]
    /// The processes with descriptors that this user cannot list.
    private(set) var hiddenProcesses: Set<Int32> = []

    /// The command of the helper processes to ignore, including the helpers of other sessions.
    var helperCommand: [String] = []
    /// The processes to ignore.
    private(set) var excludedProcesses: Set<Int32> = []
    /// The processes in the last listing.
    private var known: Set<Int32> = []
    /// The processes to scan, in reverse order.
    private var queue: [Int32] = []
    /// The times at which to scan new processes again, because a program may open a database after
    /// it starts.
    private var followUps: [(process: Int32, time: UInt64)] = []

    /// The delays before scanning a new process again, in nanoseconds.
    private static let followUpDelays: [UInt64] = [1_000_000_000, 3_000_000_000]

    mutating func exclude(_ process: Int32) {
        excludedProcesses.insert(process)
        known.remove(process)
        setDatabases([], of: process)
    }

    /// Sets the files of a database.
    ///
    /// - Parameters:
    ///   - identities: All files.
    ///   - database: The number of the database.
    ///   - path: The path of the database file, without symbolic links.
    ///   - main: The database file, or `nil` if there is none.
    mutating func set(
        _ identities: [FileIdentity],
        of database: Int,
        path: String,
        main: FileIdentity?
    ) {
        guard filesOfDatabase[database] != identities else { return }
        paths.add(path: path, database: database, identity: main)
        for old in filesOfDatabase[database] ?? [] where files[old] == database { files[old] = nil }
        for new in identities { files[new] = database }
        filesOfDatabase[database] = identities
    }

    var isComplete: Bool { queue.isEmpty }

    /// Lists all processes, queues new ones for a scan, and removes terminated ones.
    mutating func list(at now: UInt64) {
        let names = ProcFile.names(in: "/proc") ?? []
        var processes = Set(names.compactMap { Int32($0) })
        // A new process may reuse the ID of an excluded process that has terminated.
        excludedProcesses.formIntersection(processes)
        processes.subtract(excludedProcesses)
        let new = processes.subtracting(known)
        let ended = known.subtracting(processes)
        for process in ended {
            setDatabases([], of: process)
            hiddenProcesses.remove(process)
        }
        if !known.isEmpty {
            followUps += new.flatMap { process in
                Self.followUpDelays.map { (process, now + $0) }
            }
        }
        followUps.removeAll { ended.contains($0.process) }
        if !ended.isEmpty { queue.removeAll { ended.contains($0) } }
        known = processes
        queue += new
    }

    /// Starts a new round over all processes, unless one is in progress.
    mutating func restart() {
        if queue.isEmpty { queue = Array(known) }
    }

    /// Scans at least one queued process, and continues until the time limit.
    ///
    /// - Parameters:
    ///   - now: The time on the monotonic clock.
    ///   - nanoseconds: The time limit, or `nil` to scan all queued processes.
    ///   - clock: A closure that returns the current time, in nanoseconds.
    mutating func proceed(
        at now: UInt64,
        for nanoseconds: UInt64?,
        clock: () -> UInt64
    ) {
        let due = followUps.filter { $0.time <= now }.map(\.process)
        if !due.isEmpty {
            followUps.removeAll { $0.time <= now }
            queue += due
        }
        let start = clock()
        while let process = queue.popLast() {
            scan(process)
            if let nanoseconds, clock() &- start >= nanoseconds { return }
        }
    }

    private mutating func scan(_ process: Int32) {
        let folder = "/proc/\(process)/fd"
        guard let names = ProcFile.names(in: folder) else {
            if errno == EACCES { hiddenProcesses.insert(process) }
            setDatabases([], of: process)
            return
        }
        hiddenProcesses.remove(process)
        var databases: Set<Int> = []
        var found = StrayFileSearch.Result()
        for name in names {
            let path = "\(folder)/\(name)"
            // Sockets, pipes, and anonymous files have no path.
            guard let link = ProcFile.link(path), link.utf8.first == 0x2f else { continue }
            let file = FileIdentity(path: path)
            let database = file.flatMap { files[$0] }
            if let database { databases.insert(database) }
            if let descriptor = Int32(name) {
                paths.examine(
                    descriptor,
                    link: link,
                    file: file,
                    database: database,
                    process: process,
                    result: &found
                )
            }
        }
        var uses = paths.uses(found, of: process)
        databases.formUnion(uses.filter { !$0.value.strayFiles.isEmpty }.keys)
        if !databases.isEmpty,
            ChildProcess.contains(process) || ProcFile.isRunning(helperCommand, in: process)
        {
            // Ignore only the helper's descriptors, not its locks, because any process can choose
            // the same arguments.
            databases = []
            uses = [:]
        }
        setDatabases(databases, of: process)
        for (database, use) in uses { self.uses[database, default: [:]][process] = use }
    }

    private mutating func setDatabases(_ databases: Set<Int>, of process: Int32) {
        for database in databases { users[database, default: []].insert(process) }
        for database in users.keys where !databases.contains(database) {
            users[database]?.remove(process)
        }
        for database in uses.keys { uses[database]?[process] = nil }
    }
}
#endif
