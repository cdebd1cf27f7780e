extension DatabaseMonitor {
    /// How long findings mention an episode after it ends, in nanoseconds.
    private static let endedEpisodeTime: UInt64 = 10_000_000_000
    /// The minimum share of time that a process must hold a read lock to be listed as a reader.
    private static let minimumReaderShare = 0.05

    /// Reports on the interval since the last report and starts a new interval.
    ///
    /// - Parameters:
    ///   - now: The monotonic time to use if there is no sample yet.
    ///   - calendar: A closure that converts a monotonic time to a calendar time.
    ///   - processorShare: This program's processor time, as a share of one core.
    ///   - fileSystem: The file system of the database, or `nil` if unknown.
    ///   - notes: Notes about the limitations of this report.
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
        tables: TableCounts?,
        facts: @escaping (Int32) -> Process?
    ) -> WatchReport {
        // Like the counts, the interval starts and ends at a sample.
        let now = last?.now ?? now
        let start = interval.start ?? now
        let seconds = Double(now - min(now, start)) / 1e9
        var known: [Int32: Process] = [:]
        for process in processes { known[process] = facts(process) }
        let observation = current ?? Observation(now: now, weight: 0, files: ObservedFiles())
        let holds = holds
        let list = ProcessList(
            known: known,
            facts: facts,
            calendar: calendar,
            now: observation.now
        )
        let shown = list.processes(self, holds)
        let readers = shown.filter { $0.share.reader.value >= Self.minimumReaderShare }
            .sorted { $0.share.reader.value > $1.share.reader.value }
        let diagnosis = Diagnosis(
            observation: observation,
            holds: holds,
            history: history,
            isHot: journal.isHot,
            name: { [known] process in
                guard let facts = known[process] ?? facts(process) else {
                    return "process \(process)"
                }
                return "\(facts.name) (\(process))"
            },
            processorShare: { [known] in known[$0]?.processorShare },
            writers: writers,
            readers: readers.map(\.pid),
            ended: endedEpisodes(after: min(start, now - min(now, Self.endedEpisodeTime)))
        )
        let findings = diagnosis.findings
        let pins = diagnosis.pins
        let counts = observation.files.isWAL ? tables?.since(interval.tableBaseline) : nil
        let report = WatchReport(
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
            wal: wal(seconds: seconds, pinned: pins.first?.frames ?? 0),
            rollback: rollback(seconds: seconds),
            tables: counts?.tables ?? [],
            tablesCoverage: counts?.coverage(written: log.since(interval.logBaseline).frames),
            episodes: episodes.map(list.episode),
            verdict: findings.first ?? WatchVerdict(.nothing, "Nothing unusual was observed."),
            findings: findings,
            notes: notes
        )
        startInterval(at: now, tables: tables)
        return report
    }

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

    private func wal(seconds: Double, pinned: UInt64) -> WatchedWAL? {
        guard let files = last?.files, files.isWAL, files.state == .present else { return nil }
        let counts = log.since(interval.logBaseline)
        func rate(_ count: UInt64) -> Double { seconds > 0 ? Double(count) / seconds : 0 }
        return WatchedWAL(
            bytes: files.wal?.size ?? 0,
            frames: files.index.map { UInt64($0.frames) },
            room: files.room,
            backfilled: files.index.map { UInt64($0.backfilled) },
            pinned: files.index == nil ? nil : pinned,
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
        let transactions = changes.transactions - interval.transactionBaseline
        return WatchedRollback(
            transactions: transactions,
            transactionsPerSecond: seconds > 0 ? Double(transactions) / seconds : 0,
            journalBytes: files.journal?.size,
            isHot: journal.isHot
        )
    }
}
