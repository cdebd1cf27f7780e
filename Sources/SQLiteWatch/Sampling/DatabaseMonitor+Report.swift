import Findings

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
        let shown = list.processes(self, holds)
        let pins = Pin.pins(observation, holds)
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
