/// A change to an arm that may improve its metrics.
struct AdviceCandidate: Sendable, Equatable {
    /// The kind of change.
    ///
    /// The confirmation tests at most one candidate of each kind.
    enum Kind: Sendable, Hashable {
        case readers, structure, journal, cache, memoryMap, busyTimeout, begin, checkpoint
        case statistics, synchronous
        case index(String)
    }

    var kind: Kind
    /// The arm with the change.
    ///
    /// The arm's name is also the candidate's name.
    var arm: Arm
    /// The scenario line or SQL statement that makes the change.
    var change: String
    /// A cost that the metrics do not show.
    var cost: String
    /// Whether a power failure can lose commits that the current arm would keep.
    var weakensDurability = false
}

/// A type that derives candidates for an arm from the result of a run.
struct AdviceCandidates {
    let arm: Arm
    let baseline: ArmResult
    /// The proposed sets of `CREATE INDEX` statements.
    var indexes: [[String]] = []

    private static let maximumIndexes = 6
    /// The size of the page cache that a candidate proposes, in KiB.
    private static let largeCache = 65_536
    /// The size of the memory map that a candidate proposes, in bytes.
    private static let largeMap = 268_435_456

    /// All candidates, roughly in descending order of their usual effect.
    var all: [AdviceCandidate] {
        indexCandidates + structureCandidates + readerCandidates + transactionCandidates
            + memoryCandidates + logCandidates + statisticsCandidates
    }

    private var isWAL: Bool { baseline.environment["journal_mode"] == "wal" || arm.isWAL }
    private var synchronous: String { baseline.environment["synchronous"] ?? "full" }

    private func changedArm(_ name: String, _ change: (inout Arm) -> Void) -> Arm {
        var changed = arm
        change(&changed)
        changed.name = name
        return changed
    }

    // MARK: Indexes

    private var indexCandidates: [AdviceCandidate] {
        indexes.prefix(Self.maximumIndexes).map { statements in
            let words = (statements.first ?? "").split(separator: " ").map(String.init)
            let name = words.count > 2 ? words[2] : "advised"
            return AdviceCandidate(
                kind: .index(words.drop { $0 != "ON" }.dropFirst().first ?? ""),
                arm: changedArm(name) { $0.setup += statements },
                change: statements.joined(separator: "; "),
                cost: "space in the file, and more work for each write to these columns"
            )
        }
    }

    // MARK: Connections

    private var structureCandidates: [AdviceCandidate] {
        guard arm.library != .raw || !isWAL else { return [] }
        var candidates: [AdviceCandidate] = []
        let fullSynchronous = synchronous == "full" || synchronous == "extra" ? synchronous : nil
        let durability = fullSynchronous.map { ", synchronous: \($0)" } ?? ""
        if !isWAL, arm.kind == .queue || arm.library == .raw {
            candidates.append(
                AdviceCandidate(
                    kind: .journal,
                    arm: changedArm("journal-wal") {
                        $0.journal = .wal
                        $0.synchronous = fullSynchronous
                    },
                    change: "journal: wal\(durability)",
                    cost: "a log next to the file; all processes must be on this machine"
                )
            )
            if fullSynchronous != nil {
                candidates.append(
                    AdviceCandidate(
                        kind: .journal,
                        arm: changedArm("journal-wal-normal") {
                            $0.journal = .wal
                            $0.synchronous = "normal"
                        },
                        change: "journal: wal, synchronous: normal",
                        cost: "a power failure can undo the most recent commits",
                        weakensDurability: true
                    )
                )
            }
        }
        guard arm.kind == .queue, arm.library != .raw else { return candidates }
        candidates.append(
            AdviceCandidate(
                kind: .structure,
                arm: changedArm("pool-4") {
                    $0.kind = .pool
                    $0.journal = nil
                    $0.readers = 4
                    $0.synchronous = fullSynchronous
                },
                change: "type: pool, readers: 4\(durability)",
                cost: "four more connections with their caches, and a log next to the file"
            )
        )
        return candidates
    }

    private var readerCandidates: [AdviceCandidate] {
        guard arm.kind == .pool, arm.library != .raw else { return [] }
        let presentCount = baseline.pool?.maximumReaderCount ?? arm.readers ?? 5
        let counts = [presentCount * 2, max(1, presentCount / 2), presentCount * 4]
        return counts.filter { $0 != presentCount && $0 <= 64 }.map { count in
            AdviceCandidate(
                kind: .readers,
                arm: changedArm("readers-\(count)") { $0.readers = count },
                change: "readers: \(count)",
                cost: count > presentCount
                    ? "\(count - presentCount) more connections with their caches"
                    : "none: \(presentCount - count) fewer connections"
            )
        }
    }

    // MARK: Transactions

    private var transactionCandidates: [AdviceCandidate] {
        var candidates: [AdviceCandidate] = []
        if let begin = arm.begin, begin != .immediate {
            candidates.append(
                AdviceCandidate(
                    kind: .begin,
                    arm: changedArm("begin-immediate") { $0.begin = .immediate },
                    change: "begin: immediate",
                    cost: "a transaction that may write locks the database from its start"
                )
            )
        }
        let busyErrorCount = baseline.clients.values.flatMap(\.errors)
            .filter { $0.key.hasPrefix("SQLITE_BUSY") || $0.key.hasPrefix("SQLITE_LOCKED") }
            .reduce(0) { $0 + $1.value }
        let retryCount = baseline.clients.values.reduce(0) { $0 + $1.retried }
        if busyErrorCount + retryCount > 0, (arm.busyTimeout ?? .zero) < .seconds(5) {
            candidates.append(
                AdviceCandidate(
                    kind: .busyTimeout,
                    arm: changedArm("busy-timeout-5s") { $0.busyTimeout = .seconds(5) },
                    change: "busy: {timeout: 5s}",
                    cost: "an access waits for a lock for up to 5 s before it fails"
                )
            )
        }
        return candidates
    }

    // MARK: Memory, log, statistics

    private func pragma(_ name: String) -> Int? {
        (arm.pragmas.last { $0.name == name }?.value ?? baseline.environment[name])
            .flatMap { Int($0) }
    }

    private func pragmaCandidate(
        _ kind: AdviceCandidate.Kind,
        _ pragma: String,
        to value: Int,
        cost: String
    ) -> AdviceCandidate {
        let name = pragma.replacing("_", with: "-")
        return AdviceCandidate(
            kind: kind,
            arm: changedArm("\(name)-\(abs(value))") { arm in
                arm.pragmas.removeAll { $0.name == pragma }
                arm.pragmas.append(.init(name: pragma, value: String(value)))
            },
            change: "pragmas: {\(pragma): \(value)}",
            cost: cost
        )
    }

    private var memoryCandidates: [AdviceCandidate] {
        var candidates: [AdviceCandidate] = []
        let pageSize = pragma("page_size") ?? 4096
        let cache = pragma("cache_size") ?? -2000
        let kibibytes = cache < 0 ? -cache : cache * pageSize / 1024
        if kibibytes < Self.largeCache / 2 {
            candidates.append(
                pragmaCandidate(
                    .cache,
                    "cache_size",
                    to: -Self.largeCache,
                    cost: "up to 64 MiB of memory per connection"
                )
            )
        }
        if (pragma("mmap_size") ?? 0) < Self.largeMap {
            candidates.append(
                pragmaCandidate(
                    .memoryMap,
                    "mmap_size",
                    to: Self.largeMap,
                    cost: "an I/O error or a truncated file ends the process with a signal"
                )
            )
        }
        return candidates
    }

    private var logCandidates: [AdviceCandidate] {
        guard isWAL else { return [] }
        var candidates: [AdviceCandidate] = []
        let pages = pragma("wal_autocheckpoint") ?? 1000
        if pages < 8000 {
            candidates.append(
                pragmaCandidate(
                    .checkpoint,
                    "wal_autocheckpoint",
                    to: max(4000, pages * 4),
                    cost: "a log several times as large, and longer checkpoints"
                )
            )
        }
        if synchronous == "full" || synchronous == "extra" {
            candidates.append(
                AdviceCandidate(
                    kind: .synchronous,
                    arm: changedArm("synchronous-normal") { $0.synchronous = "normal" },
                    change: "synchronous: normal",
                    cost: "a power failure can undo the most recent commits",
                    weakensDurability: true
                )
            )
        }
        return candidates
    }

    private var statisticsCandidates: [AdviceCandidate] {
        guard !arm.setup.contains(where: { $0.uppercased().hasPrefix("ANALYZE") }) else {
            return []
        }
        return [
            AdviceCandidate(
                kind: .statistics,
                arm: changedArm("analyze") { $0.setup.append("ANALYZE") },
                change: "ANALYZE",
                cost: "a scan of all indexes, which must be repeated as the data changes"
            )
        ]
    }
}
