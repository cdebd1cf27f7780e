#if os(Linux)
import Findings
import Glibc

/// A watched database and its state in the samples so far.
struct WatchTarget {
    let path: String
    var monitor: DatabaseMonitor
    private(set) var fileSystem: FileSystemStatus?
    /// Whether a sample has determined the inodes to search for in `/proc/locks`.
    private(set) var isIdentified = false
    private var mount: MountTable.Mount?
    private var identity: FileIdentity?
    private var identities: [FileIdentity?] = []
    private var database: LockIdentity?
    private var index: LockIdentity?
    private var hasHiddenHolder = false
    /// What the descriptors showed at the last change, and the processes that share a connection.
    private var sharing: (uses: [Int32: DescriptorUse], processes: [Int32: Int32]) = ([:], [:])
    /// The lock file of SQLite's `unix-dotfile` VFS, if it has existed at a sample.
    private var lockFile: String?

    init(path: String) {
        self.path = path
        monitor = DatabaseMonitor(path: path)
    }

    var inodes: [UInt64] { [database?.inode, index?.inode].compactMap(\.self) }

    /// Whether the database has a log with frames to count.
    var hasLog: Bool { monitor.last?.files.isWAL == true }

    /// Determines the devices and inodes that `/proc/locks` uses for the database's locks.
    mutating func identify(_ sample: FileSample, number: Int, in processes: inout ProcessRegistry) {
        let files = [sample.database, sample.index, sample.wal, sample.journal].map(\.identity)
        guard !isIdentified || mount == nil || files != identities else { return }
        identities = files
        let new = sample.database.identity
        if new != identity || mount == nil {
            processes.expectNewUsers()
            let file = FilePath.resolved(path)
            let rooted = FilePath.Rooted(file)
            let process = rooted.map { String($0.process) } ?? "self"
            let mounts = MountTable(
                text: ProcFile.text("/proc/\(process)/mountinfo", limit: 1 << 22) ?? ""
            )
            mount = mounts.mount(of: rooted?.path ?? file)
            fileSystem = mount.map { FileSystemStatus(type: $0.type) }
        }
        identity = new
        isIdentified = true
        database = lockIdentity(new)
        index = lockIdentity(sample.index.identity)
        processes.scan.set(
            files.compactMap(\.self),
            of: number,
            path: FilePath.resolved(path),
            main: new
        )
    }

    private static func lockFile(of path: String) -> String? {
        FilePath.status(path + ".lock") == nil ? nil : path + ".lock"
    }

    private func lockIdentity(_ file: FileIdentity?) -> LockIdentity? {
        file.map {
            LockIdentity(inode: $0.inode, devices: [$0.device, mount?.device].compactMap(\.self))
        }
    }

    /// The time and the scope of a sample.
    struct Moment {
        /// The time on the monotonic clock, in nanoseconds.
        var now: UInt64
        /// The time that the sample represents, in nanoseconds.
        var weight: Double
        /// The time that the sample represents among the samples that read `/proc/locks`, in
        /// nanoseconds.
        var listWeight: Double
        /// Whether the helper queried the read locks.
        var probesReaders: Bool
        /// Whether the sample is current, which a check for waiting threads requires.
        var isPresent: Bool
    }

    /// Adds a sample from the helper.
    ///
    /// - Parameters:
    ///   - sample: The sample.
    ///   - list: The locks in `/proc/locks`, or `nil` if the list was not read.
    ///   - moment: The time of the sample and the scope of the helper's reads.
    ///   - number: The index of this database in the session.
    ///   - processes: The known processes, to which this method adds new ones.
    mutating func observe(
        _ sample: FileSample,
        list: [FileLock]?,
        at moment: Moment,
        number: Int,
        in processes: inout ProcessRegistry
    ) {
        let files = ObservedFiles(sample)
        // `/proc/locks` also contains the locks on files that this user cannot open.
        let isQueried = sample.database.isOpen && (!sample.index.exists || sample.index.isOpen)
        var locks = isQueried ? LockBytes.writeLocks(sample.probes) : [:]
        if let list {
            let listed = LockBytes.processes(
                in: list,
                database: database,
                index: index,
                isWAL: files.isWAL
            )
            for (process, all) in listed {
                locks[process, default: ProcessLocks(process: process)]
                    .add(all) { !isQueried || $0.isRead }
            }
        }
        for process in processes.excluded { locks[process] = nil }
        for process in locks.keys { processes.recordFacts(of: process) }
        if moment.probesReaders {
            // A holder in another PID namespace has no process ID here. Do not search the list for
            // the holder, because it may have acquired its lock after the list was read.
            hasHiddenHolder = sample.probes.contains { probe in
                probe.process <= 0 || !processes.exists(probe.process)
            }
        }
        let openProcesses = processes.scan.users[number] ?? []
        var observation = Observation(now: moment.now, weight: moment.weight, files: files)
        observation.locks = locks
        observation.hasList = list != nil
        observation.hasWriteLocks = isQueried || list != nil
        observation.listWeight = moment.listWeight
        if !isQueried { observation.weight = moment.listWeight }
        observation.openProcesses = openProcesses
        observation.uses = processes.scan.uses[number] ?? [:]
        if moment.isPresent, sharing.uses != observation.uses {
            sharing = (
                observation.uses, StrayFileSearch.sharedConnections(observation.uses)
            )
        }
        observation.sharedConnections = sharing.processes
        if moment.isPresent, lockFile == nil { lockFile = Self.lockFile(of: path) }
        observation.lockFile = lockFile
        observation.hasHiddenHolder =
            hasHiddenHolder || sample.probes.contains { $0.isWrite && $0.process <= 0 }
        let holders = locks.filter { $0.value.held.contains { $0.kind.isExclusive } }.keys
        if moment.isPresent {
            for process in holders { observation.runs[process] = ProcessFacts.runs(of: process) }
        }
        if moment.isPresent, processes.isCheckDue(at: moment.now),
            monitor.isBlocked(by: locks, hasList: list != nil)
        {
            (observation.waiting, observation.syncing) = processes.waitStates(
                of: openProcesses.union(locks.keys).union(monitor.processes),
                holders: Set(holders),
                at: moment.now
            )
        }
        monitor.update(observation)
    }

    var notes: [String] {
        var notes: [String] = []
        if hasHiddenHolder {
            notes.append(
                "An invisible process holds locks on the database: it runs in another container "
                    + "or PID namespace, or /proc hides it. Run on the host as root to see it."
            )
        }
        if let warning = fileSystem?.warning { notes.append(warning + ".") }
        return notes
    }
}

extension ProcessLocks {
    fileprivate mutating func add(_ other: ProcessLocks, of isIncluded: (LockKind) -> Bool) {
        isAttached = isAttached || other.isAttached
        for lock in other.held where isIncluded(lock.kind) { held.insert(lock) }
    }
}
#endif
