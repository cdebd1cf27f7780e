import Telemetry
import Text

struct Diagnosis {
    var observation: Observation
    var holds: HoldTracker
    var history: LogHistory
    /// Whether the journal had no owner at two consecutive samples.
    var isHot: Bool
    /// A closure that returns the name of a process with its ID.
    var name: (Int32) -> String
    /// A closure that returns a process's processor time, as a share of one core.
    var processorShare: (Int32) -> Double?
    /// The latest writers, most recent first.
    var writers: [Int32]
    /// The processes that read for a large part of the interval, longest first.
    var readers: [Int32] = []
    /// The episodes that ended during or shortly before the interval, most recent first.
    var ended: [EpisodeLog.Entry] = []

    /// The minimum age of a lock for a finding, in seconds.
    static let minimumAge = 1.0
    /// The minimum age while other processes probably wait, in seconds.
    static let minimumAgeWithWaiters = 0.1
    /// The share of a core below which a process is considered idle.
    private static let idleShare = 0.02

    private var files: ObservedFiles { observation.files }
    private var waiters: [Int32] { observation.waiting.filter(\.value).map(\.key).sorted() }

    /// All findings, most important first, or an empty array if nothing is unusual.
    var findings: [WatchVerdict] {
        if let unavailable { return [unavailable] }
        let log = [pinned, overlapping, missingCheckpoint].compactMap(\.self)
        let holders = [exclusive, largeTransaction, writer, checkpoint].compactMap(\.self)
        let earlier = holders.isEmpty ? endedEpisodes : []
        return [hotJournal].compactMap(\.self) + holders + earlier + log
            + [log.isEmpty && largeTransaction == nil ? largeLog : nil, leftover].compactMap(\.self)
    }

    private var unavailable: WatchVerdict? {
        switch files.state {
        case .present: nil
        case .empty:
            WatchVerdict(.unavailable, "The file is empty: no transaction has written to it yet.")
        case .missing:
            WatchVerdict(
                .unavailable,
                "The file does not exist.",
                remedy: "Check the path; the file appears here as soon as it exists."
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
                + "(\(HumanUnits.bytes(files.journal?.size ?? 0))). The next connection that reads "
                + "rolls back this transaction.",
            remedy:
                "Keep the -journal file next to the database: without it, the database is corrupt."
        )
    }

    private var exclusive: WatchVerdict? {
        for kind in [LockKind.exclusive, .pending, .reserved] {
            guard let (process, _, age) = longest(kind) else { continue }
            let time = HumanUnits.duration(seconds: age)
            let held = "has held the \(kind.rawValue) lock for at least \(time)"
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
                text += " Process \(process) is waiting for readers to finish: \(names)."
            }
            return WatchVerdict(.exclusive, pid: process, text, remedy: idleRemedy(process))
        }
        return nil
    }

    private var writer: WatchVerdict? {
        guard let (process, _, age) = longest(.writer),
            checkpointHold(of: process) == nil
        else { return nil }
        let time = HumanUnits.duration(seconds: age)
        var text =
            "\(name(process)) has held the write lock for at least \(time): no other process can "
            + "write\(waitersText)."
        if let share = processorShare(process), share < Self.idleShare, age >= Self.minimumAge {
            text += " Process \(process) used \(HumanUnits.percent(share)) of a core, so it is "
            text += "idle in a transaction."
        }
        return WatchVerdict(.longWriter, pid: process, text, remedy: idleRemedy(process))
    }

    private var checkpoint: WatchVerdict? {
        for (process, locks) in holds.holds.sorted(by: { $0.key < $1.key }) {
            guard let hold = locks[HeldLock(kind: .checkpoint)],
                age(hold) >= Self.minimumAge
            else { continue }
            let readers = holds.holds.flatMap { other, locks in
                locks.filter { $0.key.kind == .reader && (other != process) }.map { _ in other }
            }
            let isRestart = checkpointHold(of: process) != nil
            var text =
                "\(name(process)) has been running a checkpoint for at least "
                + HumanUnits.duration(seconds: age(hold))
            if isRestart { text += " and holds the write lock: no other process can write" }
            if readers.isEmpty {
                text += "."
            } else {
                let names = Set(readers).sorted().prefix(3).map(name).joined(separator: ", ")
                text += "; it is probably waiting for the reads of \(names) to end."
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

    /// The finding about the longest completed episode and the other completed episodes of the same
    /// process and kind, or an empty array if no episode has completed.
    private var endedEpisodes: [WatchVerdict] {
        guard
            let entry = ended.filter({ $0.kind != .pin })
                .max(by: { $0.lastSeen - $0.start < $1.lastSeen - $1.start })
        else { return [] }
        let all = ended.filter { $0.kind == entry.kind && $0.process == entry.process }
        let lock =
            switch entry.kind {
            case .writer: "the write lock"
            case .checkpoint: "the checkpoint lock"
            case .exclusive, .pin: "the database"
            }
        let length = HumanUnits.duration(seconds: Double(entry.lastSeen - entry.start) / 1e9)
        let end = all.compactMap(\.end).max() ?? observation.now
        let ago = HumanUnits.duration(
            seconds: Double(observation.now - min(observation.now, end)) / 1e9
        )
        var text = "\(name(entry.process)) held \(lock) "
        if all.count > 1 {
            text += all.count == 2 ? "twice" : "\(all.count) times"
            text += ", for up to \(length) at a time, and last released it \(ago) ago"
        } else {
            text += "for \(length), until \(ago) ago"
        }
        let waiters = Set(all.flatMap(\.waiters)).sorted()
        if !waiters.isEmpty {
            text += "; \(waiters.prefix(3).map(name).joined(separator: ", "))"
            text += waiters.count > 3 ? " and \(waiters.count - 3) more" : ""
            text += " probably waited"
        }
        text += "."
        if entry.kind != .checkpoint, let share = processorShare(entry.process),
            share < Self.idleShare
        {
            text += " Process \(entry.process) used \(HumanUnits.percent(share)) of a core, so it "
            text += "is probably idle in its \(all.count > 1 ? "transactions" : "transaction")."
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
                text,
                remedy: kind == .checkpointWaits ? nil : idleRemedy(entry.process)
            )
        ]
    }

    private func checkpointHold(of process: Int32) -> HoldTracker.Hold? {
        holds.holds[process]?[HeldLock(kind: .checkpoint)]
    }

    private func idleRemedy(_ process: Int32) -> String {
        "Search the source code of process \(process) for a BEGIN without COMMIT or ROLLBACK, "
            + "and for other work during transactions."
    }

    private var waitersText: String {
        guard !waiters.isEmpty else { return "" }
        let names = waiters.prefix(3).map(name).joined(separator: ", ")
        let more = waiters.count > 3 ? " and \(waiters.count - 3) more" : ""
        return "; \(names)\(more) \(waiters.count == 1 ? "is" : "are") probably waiting"
    }

    private func age(_ hold: HoldTracker.Hold) -> Double {
        Double(observation.now - min(observation.now, hold.since)) / 1e9
    }

    /// Returns the process that has held a lock of a kind longest, or `nil` if no process has held
    /// it for the minimum age.
    private func longest(_ kind: LockKind) -> (Int32, HoldTracker.Hold, Double)? {
        let minimum = waiters.isEmpty ? Self.minimumAge : Self.minimumAgeWithWaiters
        return holds.holds.compactMap { process, locks in
            locks[HeldLock(kind: kind)].map { (process, $0, age($0)) }
        }.filter { $0.2 >= minimum }.max { $0.2 < $1.2 }
    }
}
