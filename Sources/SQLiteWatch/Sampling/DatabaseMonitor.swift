/// Accumulates the samples of one database, and reports on them.
///
/// It is a value: samples go in, reports come out, and it reads no clock and no file.
struct DatabaseMonitor: Sendable {
    /// A process as a report shows it.
    struct Process: Sendable {
        var name: String
        var user: String?
        var commandLine: String?
        /// Its processor time in the interval, as a share of one core.
        var processorShare: Double?
    }

    /// How often a process was looked at, and found waiting.
    private struct Looks: Sendable {
        var looks = 0
        var waits = 0
        var isWaiting = false
    }

    let path: String
    private(set) var holds = HoldTracker()
    private(set) var history = LogHistory()
    private(set) var episodes = EpisodeLog()
    private(set) var last: Observation?
    private var log = LogCounter()
    private var changes = ChangeCounter()
    private var ownerlessJournal: (identity: FileIdentity?, modified: Int64)?
    private var isHot = false
    private var writers: [Int32] = []

    // The interval of the next report.
    private var start: UInt64?
    private var counter = ShareCounter()
    private var weights: [Int32: HeldWeights] = [:]
    private var looks: [Int32: Looks] = [:]
    private var logBaseline = LogCounter()
    private var tableBaseline = TableCounts()
    private var transactionBaseline: UInt64 = 0
    private var seen: Set<Int32> = []

    init(path: String) { self.path = path }

    /// The processes that the next report shows.
    var processes: Set<Int32> {
        seen.union(last?.open ?? [])
    }

    /// Takes a sample.
    mutating func update(_ observation: Observation) {
        if start == nil { start = observation.now }
        if let last, last.files.database.identity != observation.files.database.identity {
            episodes.endAll(at: observation.now)
            holds.reset()
            history = LogHistory()
        }
        counter.add(weight: observation.weight)
        for (process, locks) in observation.locks {
            seen.insert(process)
            weights[process, default: HeldWeights()].add(locks.held, weight: observation.weight)
            if locks.held.contains(where: { $0.kind == .writer || $0.kind == .reserved }),
                writers.first != process
            {
                writers.removeAll { $0 == process }
                writers.insert(process, at: 0)
                if writers.count > 8 { writers.removeLast() }
            }
        }
        holds.update(observation)
        if observation.files.isWAL {
            if let index = observation.files.index {
                log.update(index, identity: observation.files.indexIdentity)
            }
            history.update(observation)
        } else if let header = observation.files.header {
            changes.update(header.changeCounter, identity: observation.files.database.identity)
        }
        noteJournal(observation)
        for (process, isWaiting) in observation.waiting {
            looks[process, default: Looks()].looks += 1
            if isWaiting { looks[process, default: Looks()].waits += 1 }
        }
        // Without a lock that excludes others, no look was needed: no process waits.
        let isBlocked = observation.locks.values.contains { $0.excludesOthers }
        for process in looks.keys where observation.waiting[process] != nil || !isBlocked {
            looks[process]?.isWaiting = observation.waiting[process] ?? false
        }
        // A process that has a lock to write since its last look no longer waits for it.
        for (process, locks) in observation.locks
        where observation.waiting[process] == nil && locks.held.contains(where: \.kind.isWrite) {
            looks[process]?.isWaiting = false
        }
        episodes.update(observation, holds: holds)
        let index = last?.files.index
        last = observation
        // A writer was at work on the header: the one before is the best that is known.
        if observation.files.index == nil, observation.files.isWAL,
            observation.files.indexIdentity != nil
        {
            last?.files.index = index
        }
    }

    /// Notes whether a journal is hot: whether no process holds the reserved lock.
    ///
    /// One sample is not enough, because a transaction may end between the two reads.
    private mutating func noteJournal(_ observation: Observation) {
        let hasOwner =
            observation.hasHiddenHolder
            || observation.locks.values.contains { locks in
                locks.held.contains {
                    $0.kind == .reserved || $0.kind == .pending || $0.kind == .exclusive
                }
            }
        guard observation.files.hasValidJournal, !hasOwner, let journal = observation.files.journal
        else {
            ownerlessJournal = nil
            isHot = false
            return
        }
        let identity = (journal.identity, journal.modified)
        if let known = ownerlessJournal, known == identity { isHot = true }
        ownerlessJournal = identity
    }

    /// Reports on the interval since the last report, and begins another one.
    ///
    /// `calendar` converts a reading of the monotonic clock.
    mutating func report(
        at now: UInt64,
        calendar: (UInt64) -> WatchTime,
        processorShare: Double,
        fileSystem: FileSystemStatus?,
        notes: [String],
        tables: TableCounts?,
        facts: @escaping (Int32) -> Process?
    ) -> WatchReport {
        // From sample to sample: what is counted belongs to this time, and to no other.
        let now = last?.now ?? now
        let begin = start ?? now
        let seconds = Double(now - min(now, begin)) / 1e9
        var known: [Int32: Process] = [:]
        for process in processes { known[process] = facts(process) }
        func name(_ process: Int32) -> String {
            guard let facts = known[process] ?? facts(process) else { return "process \(process)" }
            return "\(facts.name) (\(process))"
        }
        var observation = last ?? Observation(now: now, weight: 0, files: ObservedFiles())
        observation.waiting = looks.mapValues(\.isWaiting)
        let diagnosis = Diagnosis(
            observation: observation,
            holds: holds,
            history: history,
            isHot: isHot,
            name: name,
            processorShare: { known[$0]?.processorShare },
            writers: writers,
            ended: episodes.ended.reversed().filter { ($0.end ?? 0) > begin }
        )
        let findings = diagnosis.findings
        let tableCounts = last?.files.isWAL == true ? tables?.since(tableBaseline) : nil
        let pins = diagnosis.pins
        let report = WatchReport(
            time: calendar(now),
            window: WatchWindow(
                seconds: seconds,
                samples: counter.samples,
                samplesPerSecond: seconds > 0 ? Double(counter.samples) / seconds : 0,
                processorShare: processorShare
            ),
            file: file(fileSystem),
            processes: watchedProcesses(known, observation, calendar),
            pins: pins.map { watched($0, known, observation, calendar) },
            wal: wal(seconds: seconds, pins: pins),
            rollback: rollback(seconds: seconds),
            tables: tableCounts?.tables ?? [],
            tablesCoverage: tableCounts?.coverage(written: log.since(logBaseline).frames),
            episodes: episodes.entries.map { watched($0, name: facts, observation.now, calendar) },
            verdict: findings.first ?? WatchVerdict(.nothing, "Nothing unusual was seen."),
            findings: findings,
            notes: notes
        )
        start = now
        counter = ShareCounter()
        weights = [:]
        // Whether a process waits is known from its last look, which may be of an earlier interval.
        looks = looks.filter {
            observation.locks[$0.key] != nil || observation.open.contains($0.key)
        }
        .mapValues { Looks(isWaiting: $0.isWaiting) }
        logBaseline = log
        if let tables { tableBaseline = tables }
        transactionBaseline = changes.transactions
        seen = Set(observation.locks.keys)
        return report
    }

    // MARK: Parts of a report

    private func file(_ fileSystem: FileSystemStatus?) -> WatchedFile {
        let files = last?.files ?? ObservedFiles()
        let header = files.header
        return WatchedFile(
            path: path,
            state: files.state,
            problem: files.problem,
            bytes: files.database.exists ? files.database.size : nil,
            pages: files.isWAL && (files.index?.frames ?? 0) > 0
                ? files.index.map { UInt64($0.pages) }
                : header?.pages.map(UInt64.init)
                    ?? header.map { files.database.size / UInt64($0.pageSize) },
            freePages: header.map { UInt64($0.freePages) },
            pageSize: header?.pageSize,
            journalMode: header.map { $0.isWAL ? .wal : .rollback },
            autoVacuum: header?.autoVacuum,
            encoding: header?.encoding,
            applicationID: header?.applicationID,
            userVersion: header?.userVersion,
            fileSystem: fileSystem
        )
    }

    private func wal(seconds: Double, pins: [Diagnosis.Pin]) -> WatchedWAL? {
        guard let files = last?.files, files.isWAL, files.state == .present else { return nil }
        let counts = log.since(logBaseline)
        func rate(_ count: UInt64) -> Double { seconds > 0 ? Double(count) / seconds : 0 }
        return WatchedWAL(
            bytes: files.wal?.size ?? 0,
            frames: files.index.map { UInt64($0.frames) },
            room: files.room,
            backfilled: files.index.map { UInt64($0.backfilled) },
            pinned: files.index == nil ? nil : pins.first?.frames ?? 0,
            pageSize: files.pageSize,
            marks: files.index?.marks.map { $0.map(UInt64.init) } ?? [],
            commits: counts.commits,
            commitsPerSecond: rate(counts.commits),
            framesWritten: counts.frames,
            framesPerSecond: rate(counts.frames),
            checkpoints: counts.checkpoints,
            framesBackfilled: counts.framesBackfilled,
            resets: counts.resets
        )
    }

    private func rollback(seconds: Double) -> WatchedRollback? {
        guard let files = last?.files, files.state == .present, !files.isWAL else { return nil }
        let transactions = changes.transactions - transactionBaseline
        return WatchedRollback(
            transactions: transactions,
            transactionsPerSecond: seconds > 0 ? Double(transactions) / seconds : 0,
            journalBytes: files.journal?.size,
            isHot: isHot
        )
    }

    private func watchedProcesses(
        _ known: [Int32: Process],
        _ observation: Observation,
        _ calendar: (UInt64) -> WatchTime
    ) -> [WatchedProcess] {
        processes.compactMap { process -> WatchedProcess? in
            let held = holds.holds[process] ?? [:]
            let share = weights[process, default: HeldWeights()].share(counter)
            // A process that ended and held nothing is no part of the picture.
            guard let facts = known[process] ?? (held.isEmpty ? nil : unknownProcess) else {
                return nil
            }
            return WatchedProcess(
                pid: process,
                name: facts.name,
                user: facts.user,
                commandLine: facts.commandLine,
                processorShare: facts.processorShare,
                locks: held.sorted { Self.order($0.key) < Self.order($1.key) }.map { lock, hold in
                    WatchedLock(
                        kind: lock.kind,
                        mark: lock.mark,
                        frame: hold.frame.map(UInt64.init),
                        since: calendar(hold.since),
                        seconds: Double(observation.now - min(observation.now, hold.since)) / 1e9,
                        isContinuous: hold.isContinuous
                    )
                },
                share: share,
                waiting: looks[process].map { looks in
                    WatchedWait(
                        isWaiting: looks.isWaiting,
                        share: looks.looks == 0 ? 0 : Double(looks.waits) / Double(looks.looks)
                    )
                }
            )
        }.sorted(by: Self.precedes)
    }

    private var unknownProcess: Process { Process(name: "?") }

    /// Locks that exclude more come first.
    private static func order(_ lock: HeldLock) -> Int {
        let kinds: [LockKind] = [
            .exclusive, .pending, .reserved, .writer, .recovery, .checkpoint, .reader, .shared,
        ]
        return (kinds.firstIndex(of: lock.kind) ?? 0) * 8 + (lock.mark ?? 0)
    }

    private static func precedes(_ one: WatchedProcess, _ other: WatchedProcess) -> Bool {
        func key(_ process: WatchedProcess) -> (Int, Double, Double, Double) {
            let first = process.locks.first.map { order(HeldLock(kind: $0.kind, mark: 0)) } ?? 99
            let share = process.share
            return (first, -share.writer.value, -share.checkpoint.value, -share.reader.value)
        }
        let (left, right) = (key(one), key(other))
        return left == right ? one.pid < other.pid : left < right
    }

    private func watched(
        _ pin: Diagnosis.Pin,
        _ known: [Int32: Process],
        _ observation: Observation,
        _ calendar: (UInt64) -> WatchTime
    ) -> WatchedPin {
        WatchedPin(
            pid: pin.process,
            name: known[pin.process]?.name ?? "?",
            mark: pin.mark,
            frame: pin.frame,
            frames: pin.frames,
            bytes: pin.frames
                * UInt64((observation.files.pageSize ?? 0) + WALHeader.frameHeaderLength),
            since: calendar(pin.since),
            seconds: Double(observation.now - min(observation.now, pin.since)) / 1e9
        )
    }

    private func watched(
        _ entry: EpisodeLog.Entry,
        name: (Int32) -> Process?,
        _ now: UInt64,
        _ calendar: (UInt64) -> WatchTime
    ) -> WatchEpisode {
        WatchEpisode(
            kind: entry.kind,
            pid: entry.process,
            name: name(entry.process)?.name ?? "?",
            start: calendar(entry.start),
            end: entry.end.map(calendar),
            seconds: Double((entry.end ?? now) - entry.start) / 1e9,
            frames: entry.frames,
            waiters: entry.waiters.sorted().map {
                WatchEpisode.Waiter(pid: $0, name: name($0)?.name ?? "?")
            }
        )
    }
}

extension ProcessLocks {
    /// Whether it holds a lock that another process may wait for.
    var excludesOthers: Bool { held.contains { $0.kind != .reader } }
}
