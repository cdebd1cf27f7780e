/// An observation of one database over one interval, from outside the processes that use it.
public struct WatchReport: Sendable, Codable, Equatable {
    /// The name and version of this format.
    public static let currentSchema = "poolgauge.watch/1"

    /// The name and version of the format, ``currentSchema``.
    public var schema = WatchReport.currentSchema
    /// The time of the report.
    public var time: WatchTime
    /// The interval to which the rates and shares apply.
    public var window: WatchWindow
    /// The database file.
    public var file: WatchedFile
    /// The processes that use the database, lock holders first.
    public var processes: [WatchedProcess]
    /// The readers that pin frames in the log, sorted by number of frames in descending order.
    public var pins: [WatchedPin]
    /// The log, or `nil` if the database is not in WAL mode.
    public var wal: WatchedWAL?
    /// The transactions of a rollback journal, or `nil` in WAL mode.
    public var rollback: WatchedRollback?
    /// The frames of the log by table and index, sorted by number in descending order.
    public var tables: [WatchedTable]
    /// The proportion of written frames that ``tables`` covers, or `nil` if frames are not read.
    public var tablesCoverage: WatchedCoverage?
    /// The periods in which a process blocked other processes or pinned the log, most recent first.
    public var episodes: [WatchEpisode]
    /// The most important finding, or a statement that nothing unusual was observed.
    public var verdict: Finding
    /// All unusual findings, most important first.
    public var findings: [Finding]
    /// The limitations of this report, with remedies.
    public var notes: [String]
    /// Whether a process that is not visible here holds a lock, or `nil` if unknown.
    public var hasHiddenHolder: Bool?
    /// The number of processes whose open files this user cannot list, or `nil` if unknown.
    public var hiddenProcesses: Int?
    /// The number of processes that used the database in the interval and have ended, or `nil` if
    /// unknown.
    public var endedProcesses: Int?
    /// The statements of traced programs, or `nil` if SQL is not traced.
    public var statements: [WatchedStatement]?
    /// The transactions of traced programs: all open ones, followed by the longest completed ones.
    public var transactions: [WatchedTransaction]?
    /// The current statement of each traced process.
    public var current: [WatchedCurrentStatement]?
    /// The lock waits of traced programs, most recent first.
    public var blocked: [WatchedBlock]?
    /// The lock waits of traced programs, grouped, longest total time first.
    public var waits: [WatchedWaits]?
    /// The connections of traced programs, sorted by process, or `nil` if SQL is not traced.
    public var connections: [WatchedConnection]?
    /// The copies of SQLite that these connections use.
    public var copies: [WatchedCopy]?
    /// Details about SQL tracing.
    public var tracing: WatchedTracing?
}

extension WatchReport {
    /// Creates a report without SQL and without findings, which ``updateFindings()`` adds.
    package init(
        time: WatchTime,
        window: WatchWindow,
        file: WatchedFile,
        processes: [WatchedProcess],
        pins: [WatchedPin],
        tables: [WatchedTable],
        episodes: [WatchEpisode],
        notes: [String]
    ) {
        self.init(
            time: time,
            window: window,
            file: file,
            processes: processes,
            pins: pins,
            tables: tables,
            episodes: episodes,
            verdict: Finding(.nothing, ""),
            findings: [],
            notes: notes
        )
    }

    /// Corrects the ages of locks by the transactions that the trace saw.
    ///
    /// Samples show that a lock was held whenever they looked. The trace shows each transaction.
    package mutating func reconcileLocks() {
        guard let tracing, let transactions else { return }
        for index in processes.indices where tracing.pids.contains(processes[index].pid) {
            let pid = processes[index].pid
            let open = transactions.filter { $0.pid == pid && $0.open && $0.writes }
            let longest = transactions.filter { $0.pid == pid && $0.writes }.map(\.seconds).max()
            for lock in processes[index].locks.indices
            where processes[index].locks[lock].kind.isExclusive {
                let seconds = processes[index].locks[lock].seconds
                if let age = open.map(\.seconds).max() {
                    processes[index].locks[lock].seconds = min(seconds, age)
                    processes[index].locks[lock].isContinuous = age >= seconds || open.count == 1
                } else if !processes[index].locks[lock].isContinuous, let longest {
                    processes[index].locks[lock].seconds = min(seconds, longest)
                }
            }
        }
        // An episode that is longer than any transaction is a series of transactions.
        episodes.removeAll { episode in
            guard episode.isContinuous == false, episode.kind != .pin,
                tracing.pids.contains(episode.pid)
            else { return false }
            let longest = transactions.filter { $0.pid == episode.pid && $0.writes }
                .map(\.seconds).max()
            return longest.map { episode.seconds > 1.5 * $0 + 0.5 } ?? false
        }
    }

    /// Gives processes in the trace the names that they have in the list of processes.
    package mutating func useProcessNames() {
        let names = processes.reduce(into: [Int32: String]()) { $0[$1.pid] = $1.name }
        func named(_ block: WatchedBlock) -> WatchedBlock {
            var block = block
            block.name = names[block.pid] ?? block.name
            if let by = block.by { block.by?.name = names[by.pid] ?? by.name }
            return block
        }
        transactions = transactions?.map { transaction in
            var transaction = transaction
            transaction.name = names[transaction.pid] ?? transaction.name
            return transaction
        }
        connections = connections?.map { connection in
            var connection = connection
            connection.name = names[connection.pid] ?? connection.name
            return connection
        }
        copies = copies?.map { copy in
            var copy = copy
            copy.name = names[copy.pid] ?? copy.name
            return copy
        }
        blocked = blocked?.map(named)
        waits = waits?.map { group in
            var group = group
            group.longest = named(group.longest)
            return group
        }
    }

    /// The number of commits above which a process would have been seen.
    private static let visibleCommits: UInt64 = 3

    /// Whether the database changes although no process is visible that uses it.
    package var hasHiddenWriters: Bool {
        let commits = wal?.commits ?? rollback?.transactions ?? 0
        return processes.isEmpty && endedProcesses ?? 0 == 0 && commits >= Self.visibleCommits
    }

    /// Applies all rules to the facts of the report.
    ///
    /// Call this method after changing facts.
    public mutating func updateFindings() {
        findings = FindingRules.findings(in: self)
        verdict = findings.first ?? FindingRules.nothing(in: self)
    }
}

/// The interval of a report.
public struct WatchWindow: Sendable, Codable, Equatable {
    /// The length of the interval, in seconds.
    public var seconds: Double
    /// The number of samples of the exclusive locks.
    public var samples: Int
    /// The mean number of samples per second, taken at random times.
    public var samplesPerSecond: Double
    /// The number of samples of the readers' locks, which is less than ``samples`` if many
    /// processes use the database.
    public var listSamples: Int
    /// The processor time of this program and its helpers, as a share of one core.
    public var processorShare: Double

    /// Creates an interval.
    public init(
        seconds: Double,
        samples: Int,
        samplesPerSecond: Double,
        listSamples: Int,
        processorShare: Double
    ) {
        self.seconds = seconds
        self.samples = samples
        self.samplesPerSecond = samplesPerSecond
        self.listSamples = listSamples
        self.processorShare = processorShare
    }
}
