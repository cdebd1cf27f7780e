import Scenarios
import Text

/// The arms of a captured scenario: the program's settings and alternatives to them.
struct CapturedArms {
    /// The arms, each with a comment.
    let arms: [(arm: Arm, comment: String)]

    init(_ analysis: CaptureAnalysis, options: CaptureOptions) {
        let settings = analysis.settings
        // Only the header tells whether there is a log.
        let journal = Self.journal(
            options.journal == "wal" ? "wal" : settings["journal_mode"]?.value ?? options.journal
        )
        let isWAL = journal == .wal
        let (synchronous, synchronousReason) = Self.synchronous(
            analysis,
            isWAL: isWAL,
            syncSeconds: options.syncSeconds
        )
        let begin = Self.begin(analysis)
        let (timeout, timeoutReason) = Self.timeout(analysis)
        // Poolgauge enables foreign keys by default, but SQLite does not.
        let keys =
            settings["foreign_keys"]
            ?? CapturedPrograms.Setting(
                value: "0",
                reason: "SQLite's default; no PRAGMA was observed"
            )
        var pragmas = ["foreign_keys": keys.value]
        for name in ["cache_size", "mmap_size", "temp_store", "wal_autocheckpoint", "cache_spill"] {
            guard let value = settings[name]?.value, value != Self.defaults[name] else { continue }
            pragmas[name] = value
        }
        let commonPragmas = pragmas.sorted { $0.key < $1.key }
            .map { Arm.Pragma(name: $0.key, value: $0.value) }
        func arm(_ name: String, kind: Arm.Kind, journal: Arm.Journal?) -> Arm {
            var arm = Arm(name: name, kind: kind, journal: journal, pragmas: commonPragmas)
            arm.busyTimeout = .rounded(timeout)
            arm.isGuarded = true
            return arm
        }
        var present = arm(CapturedScenario.presentArm, kind: .pool, journal: journal)
        present.library = .raw
        present.synchronous = synchronous
        present.begin = begin
        var queue = arm("queue", kind: .queue, journal: journal)
        queue.synchronous = synchronous
        var arms = [
            (
                present,
                "The program's settings: a connection for each worker, "
                    + "\(begin.sql) (\(Self.beginReason(analysis))), a busy timeout of "
                    + "\(ReportUnits.compactTime(timeout)) (\(timeoutReason)), synchronous "
                    + "\(synchronous) (\(synchronousReason)), foreign_keys \(keys.value) "
                    + "(\(keys.reason))."
            ), (queue, "One connection for all clients, with the same journal."),
        ]
        if !isWAL {
            arms.append(
                (
                    arm("queue-wal", kind: .queue, journal: .wal),
                    "The same queue with a write-ahead log, to isolate the log's effect."
                )
            )
        }
        let readers = Self.readers(analysis)
        var pool = arm("pool", kind: .pool, journal: nil)
        pool.readers = readers
        if isWAL { pool.synchronous = synchronous }
        arms.append((pool, "A writer and \(readers) readers, with a write-ahead log."))
        self.arms = arms
    }

    /// SQLite's defaults, which scenarios also use.
    private static let defaults = [
        "cache_size": "-2000", "mmap_size": "0", "wal_autocheckpoint": "1000",
    ]

    private static func journal(_ text: String) -> Arm.Journal {
        Arm.Journal(rawValue: text.lowercased()) ?? .delete
    }

    /// Returns the setting of `PRAGMA synchronous`, as observed or as inferred from the duration of
    /// COMMIT.
    ///
    /// With a write-ahead log, SQLite syncs each commit in `full` mode, but not in `normal` mode.
    private static func synchronous(
        _ analysis: CaptureAnalysis,
        isWAL: Bool,
        syncSeconds: Double?
    ) -> (name: String, reason: String) {
        let names = ["0": "off", "1": "normal", "2": "full", "3": "extra"]
        if let setting = analysis.settings["synchronous"],
            let name = names[setting.value]
                ?? (names.values.contains(setting.value) ? setting.value : nil)
        {
            return (name, setting.reason)
        }
        let commit = analysis.commits.quantile(0.5)
        if isWAL, analysis.commits.count >= 10, let syncSeconds, commit < syncSeconds / 2 {
            return (
                "normal",
                "no PRAGMA was observed, but COMMIT took \(ReportUnits.compactTime(commit)), which is less "
                    + "than a sync takes (\(ReportUnits.compactTime(syncSeconds)))"
            )
        }
        return ("full", "SQLite's default; no PRAGMA was observed")
    }

    /// Returns the most frequent kind of BEGIN among the writing transactions.
    ///
    /// A single statement without BEGIN does the same after each kind of BEGIN.
    static func begin(_ analysis: CaptureAnalysis) -> Arm.Begin {
        let counts = begins(analysis).filter { $0.key != .autocommit }
        let mostFrequent = counts.max { ($0.value, $1.key.rawValue) < ($1.value, $0.key.rawValue) }?
            .key
        switch mostFrequent {
        case .immediate: return .immediate
        case .exclusive: return .exclusive
        case .deferred, .savepoint, .autocommit, nil: return .deferred
        }
    }

    private static func begins(
        _ analysis: CaptureAnalysis
    ) -> [CapturedTransaction.Begin: Int] {
        analysis.shapes.filter(\.writes).reduce(into: [:]) {
            $0[$1.shape.begin, default: 0] += $1.count
        }
    }

    private static func beginReason(_ analysis: CaptureAnalysis) -> String {
        let counts = begins(analysis).sorted {
            ($1.value, $0.key.rawValue) < ($0.value, $1.key.rawValue)
        }
        if counts.isEmpty { return "no transaction writes" }
        return counts.map { "\(HumanUnits.exact($0.value, "write")) \($0.key.phrase)" }
            .joined(separator: ", ")
    }

    /// Returns the busy timeout: the value in force or set by a pragma, the median wait of statements that
    /// failed with `SQLITE_BUSY`, or five seconds.
    private static func timeout(_ analysis: CaptureAnalysis) -> (seconds: Double, reason: String) {
        if let setting = analysis.settings["busy_timeout"],
            let milliseconds = Double(setting.value)
        {
            return (milliseconds / 1000, setting.reason)
        }
        guard analysis.busyWaits.count > 0 else {
            return (5, "not observed: no statement waited until it failed with SQLITE_BUSY")
        }
        let waited = analysis.busyWaits.quantile(0.5)
        return (
            waited < 0.001 ? 0 : waited,
            "the median wait of statements that failed with SQLITE_BUSY"
        )
    }

    /// Returns the number of readers, which is the observed concurrency, limited to 2 to 8.
    private static func readers(_ analysis: CaptureAnalysis) -> Int {
        min(max(analysis.clients.map(\.concurrency).max() ?? 2, 2), 8)
    }
}

extension CapturedTransaction.Begin {
    fileprivate var phrase: String {
        switch self {
        case .autocommit: "without BEGIN"
        case .deferred: "after BEGIN"
        case .immediate: "after BEGIN IMMEDIATE"
        case .exclusive: "after BEGIN EXCLUSIVE"
        case .savepoint: "in a savepoint"
        }
    }
}
