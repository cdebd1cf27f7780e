import Findings

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

/// Estimates, from samples, the share of time during which a condition held.
///
/// Each sample is weighted by the mean sampling interval at that time, so that rate changes do not
/// bias the share.
struct ShareCounter: Equatable, Sendable {
    private var total: Double = 0
    private var totalOfSquares: Double = 0
    private(set) var samples = 0

    mutating func add(weight: Double) {
        guard weight > 0 else { return }
        total += weight
        totalOfSquares += weight * weight
        samples += 1
    }

    /// Estimates the share of time from the total weight of the samples in which the condition
    /// held.
    func estimate(held: Double) -> WatchedEstimate {
        guard total > 0, totalOfSquares > 0 else { return WatchedEstimate(value: 0, error: 1) }
        let share = min(max(held / total, 0), 1)
        // The effective number of samples.
        let count = total * total / totalOfSquares
        // Adding one success and one failure keeps the error above 0, even if the condition held in
        // no sample or in all samples.
        let smoothed = (share * count + 1) / (count + 2)
        return WatchedEstimate(
            value: share,
            error: (smoothed * (1 - smoothed) / count).squareRoot()
        )
    }
}

/// The weights of the samples in which a process held locks.
struct HeldWeights: Equatable, Sendable {
    private var writer: Double = 0
    private var reader: Double = 0
    private var checkpoint: Double = 0

    /// Adds a sample.
    ///
    /// - Parameters:
    ///   - held: The locks that the process held.
    ///   - weight: The time that the sample represents for exclusive locks.
    ///   - listWeight: The time that the sample represents for read locks, or 0 if they were not
    ///     read.
    mutating func add(_ held: Set<HeldLock>, weight: Double, listWeight: Double) {
        if held.contains(where: \.kind.isWrite) { writer += weight }
        if held.contains(HeldLock(kind: .checkpoint)) { checkpoint += weight }
        if listWeight > 0, held.contains(where: \.kind.isRead) { reader += listWeight }
    }

    /// Returns the shares of exclusive locks in all samples, and of read locks in the samples that
    /// read `/proc/locks`.
    func share(_ samples: ShareCounter, lists: ShareCounter) -> WatchedShare {
        var share = WatchedShare()
        share.writer = samples.estimate(held: writer)
        share.checkpoint = samples.estimate(held: checkpoint)
        share.reader = lists.estimate(held: reader)
        return share
    }
}

extension LockKind {
    /// Whether the lock permits writing or prevents other connections from writing.
    package var isWrite: Bool {
        switch self {
        case .writer, .reserved, .pending, .exclusive: true
        case .reader, .checkpoint, .recovery, .shared: false
        }
    }

    var isRead: Bool { self == .reader || self == .shared }
}

/// The history of a log, for diagnoses.
struct LogHistory: Equatable, Sendable {
    /// The default number of frames after which SQLite starts an automatic checkpoint
    /// (`SQLITE_DEFAULT_WAL_AUTOCHECKPOINT`).
    static let threshold: UInt64 = 1_000

    /// The log file's capacity, in frames, excluding the space added by the open transaction.
    private(set) var settledRoom: UInt64?
    /// The time since which the backlog has exceeded the threshold without checkpoint progress.
    private(set) var neglectedSince: UInt64?
    /// The time since which a log above the threshold has been checkpointed but not reset.
    private(set) var overlapSince: UInt64?
    /// The number of frames written since ``overlapSince``.
    private(set) var framesInOverlap: UInt64 = 0
    private var last: WALIndexHeader?
    /// Whether the last sample of `/proc/locks` shows a reader of the log.
    private var hasReader = false

    mutating func update(_ observation: Observation) {
        guard let header = observation.files.index else { return }
        defer { last = header }
        let room = observation.files.room ?? 0
        let hasWriter = observation.locks.values.contains { locks in
            locks.held.contains(HeldLock(kind: .writer))
        }
        if observation.hasList {
            hasReader = observation.locks.values.contains { locks in
                locks.held.contains { $0.kind == .reader && $0.mark != 0 }
            }
        }
        if let settled = settledRoom, hasWriter, room >= settled {
            settledRoom = max(settled, UInt64(header.frames))
        } else {
            settledRoom = room
        }
        let backlog = UInt64(header.frames - header.backfilled)
        let wasReset = last.map { $0.salt1 != header.salt1 || $0.frames > header.frames } ?? false
        let wasCopied = last.map { header.backfilled > $0.backfilled } ?? false
        if backlog < Self.threshold || wasReset || wasCopied {
            neglectedSince = nil
        } else if neglectedSince == nil {
            neglectedSince = observation.now
        }
        if UInt64(header.frames) < Self.threshold || wasReset || !hasReader {
            overlapSince = nil
        } else if overlapSince == nil, header.backfilled == header.frames || wasCopied {
            overlapSince = observation.now
            framesInOverlap = 0
        } else if let last, header.frames > last.frames {
            framesInOverlap += UInt64(header.frames - last.frames)
        }
    }

    /// Returns the number of frames that an open transaction has added to the file.
    func uncommittedFrames(_ files: ObservedFiles) -> UInt64 {
        guard let settledRoom, let room = files.room else { return 0 }
        return room - min(room, settledRoom)
    }
}

/// A type that detects a hot rollback journal, which remains if a process ends during a transaction
/// (https://sqlite.org/lockingv3.html, section 4).
struct HotJournal: Sendable {
    /// Whether the journal had no owner at two consecutive samples.
    private(set) var isHot = false
    private var unownedJournal: (identity: FileIdentity?, modified: Int64)?

    /// Adds a sample.
    ///
    /// One sample is insufficient, because a transaction may end while the helper reads the files.
    mutating func update(_ observation: Observation) {
        guard observation.hasWriteLocks else { return }
        let hasOwner =
            observation.hasHiddenHolder
            || observation.locks.values.contains { locks in
                locks.held.contains {
                    $0.kind == .reserved || $0.kind == .pending || $0.kind == .exclusive
                }
            }
        guard observation.files.hasValidJournal, !hasOwner, let journal = observation.files.journal
        else {
            unownedJournal = nil
            isHot = false
            return
        }
        let identity = (journal.identity, journal.modified)
        if let unownedJournal, unownedJournal == identity { isHot = true }
        unownedJournal = identity
    }
}

extension DatabaseMonitor {
    /// Reports on the interval since the last report and starts a new interval.
    ///
    /// - Parameters:
    ///   - now: The monotonic time to use if there is no sample yet.
    ///   - calendar: A closure that converts a monotonic time to a calendar time.
    ///   - processorShare: This program's processor time, as a share of one core.
    ///   - fileSystem: The file system of the database, or `nil` if unknown.
    ///   - notes: Notes about the limitations of this report.
    ///   - hiddenProcesses: The number of processes whose open files cannot be listed, or `nil` if
    ///     unknown.
    ///   - tables: The frame counts by table since the session started, or `nil` if frames are not
    ///     read.
    ///   - facts: A closure that describes a process, or returns `nil` if it has ended.
    /// - Returns: The report.
    mutating func report(
        at now: UInt64,
        calendar: @escaping (UInt64) -> WatchTime,
        processorShare: Double,
        fileSystem: FileSystemStatus?,
        notes: [String],
        hiddenProcesses: Int? = nil,
        tables: TableCounts?,
        facts: @escaping (Int32) -> Process?
    ) -> WatchReport {
        // Like the counts, the interval starts and ends at a sample.
        let now = last?.now ?? now
        let start = interval.start ?? now
        let seconds = Double(now - min(now, start)) / 1e9
        var known: [Int32: Process] = [:]
        for process in processes { known[process] = facts(process) }
        ProcessNames.distinguish(&known)
        let observation = current ?? Observation(now: now, weight: 0, files: ObservedFiles())
        let holds = holds
        let list = ProcessList(
            known: known,
            facts: facts,
            calendar: calendar,
            now: observation.now
        )
        let shown = list.processes(self, holds: holds)
        let pins = Pin.pins(observation, holds: holds)
        let counts = observation.files.isWAL ? tables?.since(interval.tableBaseline) : nil
        var report = WatchReport(
            time: calendar(now),
            window: WatchWindow(
                seconds: seconds,
                samples: interval.samples.samples,
                samplesPerSecond: seconds > 0 ? Double(interval.samples.samples) / seconds : 0,
                listSamples: interval.lists.samples,
                processorShare: processorShare
            ),
            file: file(fileSystem),
            processes: shown,
            pins: pins.map { list.pin($0, pageSize: observation.files.pageSize ?? 0) },
            tables: counts?.tables ?? [],
            episodes: episodes.map(list.episode),
            notes: notes
        )
        report.wal = wal(seconds: seconds, now: observation.now)
        report.rollback = rollback(seconds: seconds, shown)
        report.tablesCoverage = counts?.coverage(written: log.since(interval.logBaseline).frames)
        report.hasHiddenHolder = observation.hasHiddenHolder
        report.hiddenProcesses = hiddenProcesses
        report.endedProcesses = interval.seen.subtracting(shown.map(\.pid)).count
        // The reads of invisible programs are unknown.
        if report.wal?.frames != nil, !report.hasHiddenWriters {
            report.wal?.pinned = pins.first?.frames ?? 0
        }
        report.updateFindings()
        startInterval(at: now, tables: tables)
        return report
    }

    private func file(_ fileSystem: FileSystemStatus?) -> WatchedFile {
        let files = last?.files ?? ObservedFiles()
        var file = WatchedFile(path: path, state: files.state)
        file.problem = files.problem
        file.bytes = files.database.exists ? files.database.size : nil
        file.fileSystem = fileSystem
        file.lockFile = last?.lockFile
        guard let header = files.header else { return file }
        file.pages =
            files.isWAL && (files.index?.frames ?? 0) > 0
            ? files.index.map { UInt64($0.pages) }
            : header.pages.map(UInt64.init) ?? files.database.size / UInt64(header.pageSize)
        file.freePages = UInt64(header.freePages)
        file.pageSize = header.pageSize
        file.journalMode = header.isWAL ? .wal : .rollback
        file.autoVacuum = header.autoVacuum
        file.encoding = header.encoding
        file.applicationID = header.applicationID
        file.userVersion = header.userVersion
        return file
    }

    private func wal(seconds: Double, now: UInt64) -> WatchedWAL? {
        guard let files = last?.files, files.isWAL, files.state == .present else { return nil }
        var wal = WatchedWAL(bytes: files.wal?.size ?? 0)
        wal.room = files.room
        wal.pageSize = files.pageSize
        guard let index = files.index else { return wal }
        let counts = log.since(interval.logBaseline)
        func rate(_ count: UInt64) -> Double { seconds > 0 ? Double(count) / seconds : 0 }
        func age(_ time: UInt64) -> Double { Double(now - min(now, time)) / 1e9 }
        wal.frames = UInt64(index.frames)
        wal.backfilled = UInt64(index.backfilled)
        wal.marks = index.marks.map { $0.map(UInt64.init) }
        wal.commits = counts.commits
        wal.commitsPerSecond = rate(counts.commits)
        wal.framesWritten = counts.frames
        wal.framesPerSecond = rate(counts.frames)
        wal.checkpoints = counts.checkpoints
        wal.framesBackfilled = counts.framesBackfilled
        wal.resets = counts.resets
        wal.uncommittedFrames = history.uncommittedFrames(files)
        wal.overlapSeconds = history.overlapSince.map(age)
        wal.framesInOverlap = history.overlapSince == nil ? nil : history.framesInOverlap
        wal.neglectedSeconds = history.neglectedSince.map(age)
        return wal
    }

    private func rollback(seconds: Double, _ processes: [WatchedProcess]) -> WatchedRollback? {
        guard let files = last?.files, files.state == .present, !files.isWAL else { return nil }
        var transactions: UInt64? = changes.transactions - interval.transactionBaseline
        // A connection in exclusive locking mode changes the counter only once.
        let locks = processes.flatMap(\.locks).filter { $0.kind == .exclusive }
        if locks.contains(where: { $0.seconds >= seconds }) { transactions = nil }
        var rollback = WatchedRollback(
            transactions: transactions,
            transactionsPerSecond: transactions.map { seconds > 0 ? Double($0) / seconds : 0 },
            journalBytes: files.journal?.size,
            isHot: journal.isHot
        )
        rollback.hasValidJournal = files.hasValidJournal
        return rollback
    }
}
