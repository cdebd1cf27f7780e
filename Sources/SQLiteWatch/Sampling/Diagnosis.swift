import Telemetry

/// Finds what is unusual in the state of a database.
struct Diagnosis {
    var observation: Observation
    var holds: HoldTracker
    var history: LogHistory
    /// Whether the journal was without an owner at two samples in a row.
    var isHot: Bool
    /// Words for a process.
    var name: (Int32) -> String
    /// The processor time of a process, as a share of one core.
    var processorShare: (Int32) -> Double?
    /// The last processes that wrote, the latest first.
    var writers: [Int32]
    /// The processes that read for a good part of the interval, the one that read most first.
    var readers: [Int32] = []
    /// The episodes that ended in the interval or shortly before, the latest first.
    var ended: [EpisodeLog.Entry] = []

    /// How long a lock is held before that is worth a sentence, in seconds.
    static let patience = 1.0
    /// The same, while other processes probably wait.
    static let patienceWithWaiters = 0.1

    private var files: ObservedFiles { observation.files }
    private var waiters: [Int32] { observation.waiting.filter(\.value).map(\.key).sorted() }

    /// All findings, what matters most first; empty when nothing is unusual.
    var findings: [WatchVerdict] {
        if let unavailable { return [unavailable] }
        let log = [pinned, overlapping, neglect].compactMap(\.self)
        let holders = [exclusive, largeTransaction, writer, checkpoint].compactMap(\.self)
        return [hotJournal].compactMap(\.self) + holders + (holders.isEmpty ? earlier : []) + log
            + [log.isEmpty && largeTransaction == nil ? large : nil, leftover].compactMap(\.self)
    }

    private var unavailable: WatchVerdict? {
        switch files.state {
        case .present: nil
        case .empty:
            WatchVerdict(.unavailable, "The file is empty: no transaction has written to it yet.")
        case .missing:
            WatchVerdict(
                .unavailable,
                "There is no such file.",
                remedy: "Check the path; the file is shown as soon as it exists."
            )
        case .notADatabase, .unreadable:
            WatchVerdict(
                .unavailable,
                "The file cannot be watched: \(files.problem ?? "unknown reason")."
            )
        }
    }

    private var hotJournal: WatchVerdict? {
        guard isHot else { return nil }
        return WatchVerdict(
            .hotJournal,
            "A process ended during a transaction and left a hot journal "
                + "(\(WatchUnits.bytes(files.journal?.size ?? 0))). The next connection that reads "
                + "rolls that transaction back.",
            remedy: "Keep the -journal file with the database: without it, the database is corrupt."
        )
    }

    private var exclusive: WatchVerdict? {
        for kind in [LockKind.exclusive, .pending, .reserved] {
            guard let (process, _, age) = longest(kind) else { continue }
            let held = "has held the \(kind.rawValue) lock for at least \(WatchUnits.duration(age))"
            if files.isWAL, kind == .exclusive {
                return WatchVerdict(
                    .exclusive,
                    pid: process,
                    "\(name(process)) \(held): no other process can use the database.",
                    remedy: "It probably uses PRAGMA locking_mode = EXCLUSIVE."
                )
            }
            let effect =
                kind == .reserved
                ? "no other process can write" : "no other process can read or write"
            var text = "\(name(process)) \(held): \(effect)\(waitersText)."
            let readers = holds.holds.filter { other, locks in
                other != process && locks.keys.contains(HeldLock(kind: .shared))
            }
            if kind == .pending, !readers.isEmpty {
                let names = readers.keys.sorted().prefix(3).map(name).joined(separator: ", ")
                text += " It waits for readers to end: \(names)."
            }
            return WatchVerdict(.exclusive, pid: process, text, remedy: idleRemedy(process))
        }
        return nil
    }

    private var writer: WatchVerdict? {
        guard let (process, _, age) = longest(.writer),
            checkpointer(process) == nil
        else { return nil }
        var text =
            "\(name(process)) has held the write lock for at least \(WatchUnits.duration(age)): "
            + "no other process can write\(waitersText)."
        if let share = processorShare(process), share < 0.02, age >= Self.patience {
            text += " It used \(WatchUnits.percent(share)) of a core: it is idle in a "
            text += "transaction."
        }
        return WatchVerdict(.longWriter, pid: process, text, remedy: idleRemedy(process))
    }

    private var checkpoint: WatchVerdict? {
        for (process, locks) in holds.holds.sorted(by: { $0.key < $1.key }) {
            guard let hold = locks[HeldLock(kind: .checkpoint)],
                age(hold) >= Self.patience
            else { continue }
            let readers = holds.holds.flatMap { other, locks in
                locks.filter { $0.key.kind == .reader && (other != process) }.map { _ in other }
            }
            let isRestart = checkpointer(process) != nil
            var text =
                "\(name(process)) has been in a checkpoint for at least "
                + WatchUnits.duration(age(hold))
            if isRestart { text += " and holds the write lock: no other process can write" }
            if readers.isEmpty {
                text += "."
            } else {
                let names = Set(readers).sorted().prefix(3).map(name).joined(separator: ", ")
                text += "; it probably waits for \(names) to end reading."
            }
            return WatchVerdict(
                .checkpointWaits,
                pid: process,
                text,
                remedy: "A PASSIVE checkpoint does not wait for readers."
            )
        }
        return nil
    }

    /// What was in the way within the interval, and no longer is.
    private var earlier: [WatchVerdict] {
        guard
            let entry = ended.filter({ $0.kind != .pin })
                .max(by: { $0.last - $0.start < $1.last - $1.start })
        else { return [] }
        let lock =
            switch entry.kind {
            case .writer: "the write lock"
            case .checkpoint: "the checkpoint lock"
            case .exclusive, .pin: "the database"
            }
        let length = WatchUnits.duration(Double(entry.last - entry.start) / 1e9)
        let end = entry.end ?? observation.now
        let ago = WatchUnits.duration(Double(observation.now - min(observation.now, end)) / 1e9)
        var text = "\(name(entry.process)) held \(lock) for \(length), until \(ago) ago"
        let waiters = entry.waiters.sorted()
        if !waiters.isEmpty {
            text += "; \(waiters.prefix(3).map(name).joined(separator: ", "))"
            text += waiters.count > 3 ? " and \(waiters.count - 3) more" : ""
            text += " probably waited"
        }
        let kind: WatchVerdict.Kind =
            switch entry.kind {
            case .writer: .longWriter
            case .checkpoint: .checkpointWaits
            case .exclusive, .pin: .exclusive
            }
        return [
            WatchVerdict(
                kind,
                pid: entry.process,
                text + ".",
                remedy: kind == .checkpointWaits ? nil : idleRemedy(entry.process)
            )
        ]
    }

    /// The hold of a process that has both locks of a checkpoint that restarts the log.
    private func checkpointer(_ process: Int32) -> HoldTracker.Hold? {
        holds.holds[process]?[HeldLock(kind: .checkpoint)]
    }

    private func idleRemedy(_ process: Int32) -> String {
        "End its transaction: look for a BEGIN without COMMIT or ROLLBACK, or for other work during "
            + "a transaction, in process \(process)."
    }

    private var waitersText: String {
        guard !waiters.isEmpty else { return "" }
        let names = waiters.prefix(3).map(name).joined(separator: ", ")
        let more = waiters.count > 3 ? " and \(waiters.count - 3) more" : ""
        return "; \(names)\(more) probably wait\(waiters.count == 1 ? "s" : "")"
    }

    private func age(_ hold: HoldTracker.Hold) -> Double {
        Double(observation.now - min(observation.now, hold.since)) / 1e9
    }

    /// The process that has held a lock for longest, if for long enough.
    private func longest(_ kind: LockKind) -> (Int32, HoldTracker.Hold, Double)? {
        let patience = waiters.isEmpty ? Self.patience : Self.patienceWithWaiters
        return holds.holds.compactMap { process, locks in
            locks[HeldLock(kind: kind)].map { (process, $0, age($0)) }
        }.filter { $0.2 >= patience }.max { $0.2 < $1.2 }
    }
}
