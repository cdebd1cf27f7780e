import Text

/// A report and what several rules derive from it.
struct FindingFacts {
    let report: WatchReport
    /// The processes whose influence on others an earlier rule has explained.
    var explained: Set<Int32> = []

    private let names: [Int32: String]

    /// The minimum age of a lock for a finding, in seconds.
    static let minimumAge = 1.0
    /// The minimum age while others probably wait, in seconds.
    static let minimumAgeWithWaiters = 0.1
    /// The share of a core below which a process is considered idle.
    static let idleShare = 0.02
    /// The share of a core above which a process is considered busy.
    static let busyShare = 0.25

    init(_ report: WatchReport) {
        self.report = report
        var names: [Int32: String] = [:]
        for block in report.blocked ?? [] {
            if let name = block.name { names[block.pid] = name }
            if let by = block.by, let name = by.name { names[by.pid] = name }
        }
        for transaction in report.transactions ?? [] {
            if let name = transaction.name { names[transaction.pid] = name }
        }
        for episode in report.episodes { names[episode.pid] = episode.name }
        for process in report.processes { names[process.pid] = process.name }
        self.names = names
    }

    /// Returns a process's name and ID, such as `python3 report.py (812)`.
    func name(_ process: Int32) -> String {
        names[process].map { "\($0) (\(process))" } ?? "process \(process)"
    }

    /// Returns the names of up to three processes.
    func names(_ processes: some Sequence<Int32>) -> String {
        let all = Array(Set(processes)).sorted()
        let shown = all.prefix(3).map(name).joined(separator: ", ")
        return shown + (all.count > 3 ? " and \(all.count - 3) more" : "")
    }

    func process(_ pid: Int32) -> WatchedProcess? { report.processes.first { $0.pid == pid } }

    /// The processes that were waiting at the last check.
    var waiting: [Int32] {
        report.processes.filter { $0.waiting?.isWaiting == true }.map(\.pid)
    }

    /// The open transaction of a process that has written, or `nil` if it is unknown.
    func writeTransaction(of process: Int32) -> WatchedTransaction? {
        report.transactions?.first { $0.open && $0.writes && $0.pid == process }
    }

    /// Returns a blocker with what its transaction did until its end, if the trace saw it.
    ///
    /// A wait can fail before the blocking transaction ends.
    func completed(_ blocker: WatchedBlock.Blocker?) -> WatchedBlock.Blocker? {
        guard var by = blocker else { return nil }
        guard let open = by.transactionSeconds else { return withLongestTransaction(by) }
        guard by.gapBefore == nil, let after = by.gapAfter else { return by }
        let whole = report.transactions?.filter { transaction in
            transaction.pid == by.pid && transaction.gapAfter == after
                && transaction.seconds >= open
        }.max { $0.longestGapSeconds < $1.longestGapSeconds }
        guard let whole else { return by }
        by.transactionSeconds = whole.seconds
        by.longestGapSeconds = whole.longestGapSeconds
        by.gapBefore = whole.gapBefore
        return by
    }

    /// Returns a lock holder whose transaction is not known with its process's longest one.
    private func withLongestTransaction(_ blocker: WatchedBlock.Blocker) -> WatchedBlock.Blocker {
        let longest = (report.transactions ?? []).filter { $0.pid == blocker.pid && $0.writes }
            .max { $0.longestGapSeconds < $1.longestGapSeconds }
        guard let longest else { return blocker }
        var by = blocker
        by.isInferred = true
        by.transactionSeconds = longest.seconds
        by.longestGapSeconds = longest.longestGapSeconds
        by.gapAfter = longest.gapAfter
        by.gapBefore = longest.gapBefore
        by.sql = longest.sql
        return by
    }

    /// The statement that a process is executing, or `nil` if it is unknown.
    func runningStatement(of process: Int32) -> WatchedCurrentStatement? {
        report.current?.first { $0.pid == process && $0.isRunning }
    }

    /// Returns how long a statement has been running, such as `at least 4.5 s`.
    static func duration(of statement: WatchedCurrentStatement) -> String {
        (statement.isLowerBound == true ? "at least " : "") + duration(statement.seconds)
    }

    static func duration(_ seconds: Double) -> String { HumanUnits.duration(seconds: seconds) }

    /// Returns a statement in backquotes, shortened to fit in a sentence.
    static func quoted(_ sql: String, limit: Int = 80) -> String {
        "`" + (sql.count <= limit ? sql : String(sql.prefix(limit - 1)) + "…") + "`"
    }

    /// Returns a share of a number of executions, such as `30 of 40 executions`.
    static func share(_ part: UInt64, of all: UInt64) -> String {
        "\(HumanUnits.exact(part)) of \(HumanUnits.exact(all, "execution"))"
    }
}
