/// The accumulated samples of one database.
///
/// A monitor reads neither clocks nor files. All samples contain the exclusive locks. If many
/// processes use the database, only some samples contain the read locks. The monitor therefore
/// tracks the two kinds separately.
struct DatabaseMonitor: Sendable {
    struct Process: Sendable {
        var name: String
        var user: String?
        var commandLine: String?
        var arguments: [String] = []
        var isOrphan: Bool?
        /// The processor time in the interval, as a share of one core.
        var processorShare: Double?
    }

    struct Interval: Sendable {
        var start: UInt64?
        var samples = ShareCounter()
        /// The samples that read `/proc/locks`.
        var lists = ShareCounter()
        var weights: [Int32: HeldWeights] = [:]
        var seen: Set<Int32> = []
        var logBaseline = LogCounter()
        var tableBaseline = TableCounts()
        var transactionBaseline: UInt64 = 0
    }

    let path: String
    private(set) var history = LogHistory()
    private(set) var journal = HotJournal()
    private(set) var waits = WaitTracker()
    private(set) var log = LogCounter()
    private(set) var changes = ChangeCounter()
    private(set) var interval = Interval()
    private(set) var last: Observation?
    /// The locks of the last sample that read `/proc/locks`.
    private var listed: [Int32: ProcessLocks] = [:]
    /// Whether `listed` contains a shared lock on a database with a rollback journal.
    private var hasSharedLock = false
    private var writeHolds = HoldTracker()
    private var readHolds = HoldTracker()
    private var writeEpisodes = EpisodeLog()
    private var pinEpisodes = EpisodeLog()

    init(path: String) { self.path = path }

    var processes: Set<Int32> {
        interval.seen.union(last?.openProcesses ?? [])
    }

    var holds: HoldTracker { writeHolds.merging(readHolds) }

    /// The episodes, most recent first.
    var episodes: [EpisodeLog.Entry] {
        (writeEpisodes.entries + pinEpisodes.entries)
            .sorted { ($0.start, $1.process) > ($1.start, $0.process) }
    }

    /// Returns whether the locks in a sample, or the last known read locks, may make a process
    /// wait.
    func isBlocked(by locks: [Int32: ProcessLocks], hasList: Bool) -> Bool {
        if locks.values.contains(where: \.excludesOthers) { return true }
        return !hasList && hasSharedLock
    }

    mutating func update(_ observation: Observation) {
        if interval.start == nil { interval.start = observation.now }
        if let last, last.files.database.identity != observation.files.database.identity {
            writeEpisodes.endAll(at: observation.now)
            pinEpisodes.endAll(at: observation.now)
            writeHolds.reset()
            readHolds.reset()
            listed = [:]
            hasSharedLock = false
            history = LogHistory()
        }
        count(observation)
        if observation.hasList {
            listed = observation.locks
            hasSharedLock = listed.values.contains { $0.held.contains(HeldLock(kind: .shared)) }
        }
        if observation.hasWriteLocks {
            writeHolds.update(observation) { !$0.isRead }
            writeEpisodes.update(observation, holds: writeHolds)
        }
        if observation.hasList {
            readHolds.update(observation, of: \.isRead)
            pinEpisodes.update(observation, holds: readHolds)
        }
        if observation.files.isWAL {
            if let index = observation.files.index {
                log.update(index, identity: observation.files.indexIdentity)
            }
            history.update(observation)
        } else if let header = observation.files.header {
            changes.update(header.changeCounter, identity: observation.files.database.identity)
        }
        journal.update(observation)
        waits.update(
            observation,
            isBlocked: isBlocked(by: observation.locks, hasList: observation.hasList)
        )
        let index = last?.files.index
        last = observation
        // A writer was changing the wal-index header, so keep the previous header.
        if observation.files.index == nil, observation.files.isWAL,
            observation.files.indexIdentity != nil
        {
            last?.files.index = index
        }
    }

    private mutating func count(_ observation: Observation) {
        let weight = observation.hasWriteLocks ? observation.weight : 0
        let listWeight = observation.hasList ? observation.listWeight : 0
        interval.samples.add(weight: weight)
        interval.lists.add(weight: listWeight)
        for (process, locks) in observation.locks {
            interval.seen.insert(process)
            interval.weights[process, default: HeldWeights()]
                .add(locks.held, weight: weight, listWeight: listWeight)
        }
    }

    /// The last sample, with the latest known read locks and waits.
    var current: Observation? {
        guard var current = last else { return nil }
        if !current.hasList {
            let writes = current.locks
            current.locks = listed.mapValues { locks in
                var locks = locks
                locks.held = locks.held.filter(\.kind.isRead)
                return locks
            }
            for (process, locks) in writes {
                current.locks[process, default: ProcessLocks(process: process)].held
                    .formUnion(locks.held)
            }
        }
        current.waiting = waits.states
        return current
    }

    mutating func startInterval(at now: UInt64, tables: TableCounts?) {
        let current = current
        interval = Interval(
            start: now,
            seen: Set(current?.locks.keys.map(\.self) ?? []),
            logBaseline: log,
            tableBaseline: tables ?? interval.tableBaseline,
            transactionBaseline: changes.transactions
        )
        waits.startInterval { process in
            current?.locks[process] != nil || current?.openProcesses.contains(process) == true
        }
    }
}

extension ProcessLocks {
    /// Whether the process holds a lock that another process may wait for.
    var excludesOthers: Bool { held.contains { $0.kind != .reader } }
}
