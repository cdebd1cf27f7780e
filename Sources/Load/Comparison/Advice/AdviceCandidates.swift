import Findings
import Scenarios
import WorkloadEngine

/// A type that derives candidates for an arm from the result of a run.
struct AdviceCandidates {
    let arm: Arm
    var baseline: ArmResult
    var clients: [Client] = []
    /// The proposed sets of `CREATE INDEX` statements.
    var indexes: [[String]] = []

    private static let maximumIndexes = 6
    /// The size of the page cache that a candidate proposes, in KiB.
    private static let largeCache = 65_536
    /// The size up to which a candidate keeps the log, in bytes.
    private static let logLimit = 67_108_864
    /// The size of the memory map that a candidate proposes, in bytes.
    private static let largeMap = 268_435_456

    /// All candidates: first those that answer a finding, and then those that usually have the
    /// largest effect.
    var all: [AdviceCandidate] {
        let all =
            indexCandidates + structureCandidates + readerCandidates + transactionCandidates
            + batchCandidates + memoryCandidates + logCandidates + statisticsCandidates
        let findings = (baseline.findings ?? []).map(\.kind)
        let rank = all.map { candidate in
            findings.firstIndex { candidate.kind.answers($0, isWAL: isWAL) } ?? findings.count
        }
        return all.indices.sorted { (rank[$0], $0) < (rank[$1], $1) }.map { index in
            var candidate = all[index]
            if rank[index] < findings.count { candidate.finding = rank[index] }
            return candidate
        }
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
            let isGroup = statements.count > 1
            let more = isGroup ? "-and-\(statements.count - 1)-more" : ""
            return AdviceCandidate(
                kind: .index(words.drop { $0 != "ON" }.dropFirst().first ?? ""),
                arm: changedArm(name + more) { $0.setup += statements },
                groupTitle: isGroup ? "a group of indexes with \(name)" : nil,
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
        guard arm.hasReaders else { return [] }
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
            // BEGIN IMMEDIATE waits for the lock, for which it needs a timeout.
            let isImpatient = arm.busyTimeout.map { $0 < Self.minimumTimeout } ?? false
            candidates.append(
                AdviceCandidate(
                    kind: .begin,
                    arm: changedArm("begin-immediate") {
                        $0.begin = .immediate
                        if isImpatient { $0.busyTimeout = .seconds(5) }
                    },
                    change: "begin: immediate" + (isImpatient ? ", busy: {timeout: 5s}" : ""),
                    cost: "a transaction that may write locks the database from its start"
                )
            )
        }
        if let seconds = usefulTimeout {
            candidates.append(
                AdviceCandidate(
                    kind: .busyTimeout,
                    arm: changedArm("busy-timeout-\(seconds)s") {
                        $0.busyTimeout = .seconds(seconds)
                    },
                    change: "busy: {timeout: \(seconds)s}",
                    cost: "an access waits for a lock for up to \(seconds) s before it fails"
                )
            )
        }
        return candidates
    }

    /// The busy timeout below which a candidate with BEGIN IMMEDIATE also has a longer timeout.
    private static let minimumTimeout = Duration.seconds(1)

    /// The busy timeout, in seconds, that covers twice the longest access of each client that held
    /// a lock, or `nil` if a longer timeout cannot help.
    private var usefulTimeout: Int? {
        let groups = baseline.busy?.groups ?? []
        let counts = baseline.clients.values.flatMap(\.errors)
            .filter { $0.key.hasPrefix("SQLITE_BUSY") || $0.key.hasPrefix("SQLITE_LOCKED") }
        let failed =
            counts.reduce(0) { $0 + $1.value }
            + baseline.clients.values.reduce(0) { $0 + $1.retried }
        // The busy handler is not called if a transaction read before it wrote.
        let isUseless = !groups.isEmpty && groups.allSatisfy { $0.cause == .snapshotUpgrade }
        guard failed > 0, !isUseless else { return nil }
        let holders = Set(groups.flatMap(\.holders.keys))
        let holds = holders.compactMap { baseline.clients[$0]?.service?.max }
        let longest = (Double(holds.max() ?? 0) / 1e9 * 2).rounded(.up)
        let seconds = Int(min(max(longest, 5), 60))
        return (arm.busyTimeout ?? .zero) < .seconds(seconds) ? seconds : nil
    }

    /// The sizes of larger transactions.
    private static let batchSizes = [100, 10, 1000]

    private var batchCandidates: [AdviceCandidate] {
        let small = (baseline.findings ?? []).contains { $0.kind == .smallTransactions }
        guard small else { return [] }
        let facts = baseline.loadFacts(of: clients, on: arm)
        let names = facts.smallTransactions.map(\.client)
        return names.flatMap { name in
            Self.batchSizes.map { size in
                AdviceCandidate(
                    kind: .batch(name),
                    arm: changedArm("\(name)-batch-\(size)") { _ in },
                    change: "\(name): \(size) writes in each transaction (repeat: \(size))",
                    cost: "a crash loses up to \(size) writes, and others wait longer for the lock",
                    batch: WriteBatch(client: name, size: size)
                )
            }
        }
    }

    // MARK: Memory, log, statistics

    private func pragma(_ name: String) -> Int? {
        (arm.pragmas.last { $0.name == name }?.value ?? baseline.environment[name])
            .flatMap { Int($0) }
    }

    private func pragmaCandidate(
        _ kind: AdviceCandidate.Kind,
        pragma: String,
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
                    pragma: "cache_size",
                    to: -Self.largeCache,
                    cost: "up to 64 MiB of memory per connection"
                )
            )
        }
        if (pragma("mmap_size") ?? 0) < Self.largeMap {
            candidates.append(
                pragmaCandidate(
                    .memoryMap,
                    pragma: "mmap_size",
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
        if pages <= 0 {
            candidates.append(
                pragmaCandidate(
                    .checkpoint,
                    pragma: "wal_autocheckpoint",
                    to: 1000,
                    cost: "a commit in about every thousand pages copies the log"
                )
            )
        } else if pages < 8000 {
            candidates.append(
                pragmaCandidate(
                    .checkpoint,
                    pragma: "wal_autocheckpoint",
                    to: max(4000, pages * 4),
                    cost: "a log several times as large, and longer checkpoints"
                )
            )
        }
        // A log that is truncated at each reset must grow again.
        if let limit = pragma("journal_size_limit"), (0..<Self.logLimit / 4).contains(limit) {
            candidates.append(
                pragmaCandidate(
                    .logLimit,
                    pragma: "journal_size_limit",
                    to: Self.logLimit,
                    cost: "up to 64 MiB for the log"
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
                arm: changedArm("analyze") {
                    $0.setup += ["PRAGMA analysis_limit = 0", "ANALYZE"]
                },
                change: "PRAGMA analysis_limit = 0; ANALYZE",
                cost: "a scan of all indexes, which must be repeated as the data changes"
            ),
            AdviceCandidate(
                kind: .statistics,
                arm: changedArm("optimize") { $0.setup.append("PRAGMA optimize = 0x10002") },
                change: "PRAGMA optimize = 0x10002",
                cost: "a scan of a part of each index, for tables that changed"
            ),
        ]
    }
}

extension AdviceCandidate.Kind {
    /// Whether a candidate of this kind may remove the cause of a finding on an arm.
    fileprivate func answers(_ finding: Finding.Kind, isWAL: Bool) -> Bool {
        switch (self, finding) {
        case (.index, .slowStatement), (.index, .fullScan), (.begin, .upgrade),
            (.busyTimeout, .busy), (.batch, .smallTransactions),
            (.synchronous, .smallTransactions):
            true
        // A log needs one sync for each commit, and a rollback journal several. A pool has a log.
        case (.journal, .smallTransactions), (.structure, .smallTransactions):
            !isWAL
        default: false
        }
    }
}

/// A change to an arm that may improve its metrics.
struct AdviceCandidate: Sendable, Equatable {
    /// The kind of change.
    ///
    /// The confirmation tests at most one candidate of each kind.
    enum Kind: Sendable, Hashable {
        case readers, structure, journal, cache, memoryMap, busyTimeout, begin, checkpoint
        case logLimit, statistics, synchronous
        case index(String)
        /// Fewer and larger transactions of a client.
        case batch(String)
    }

    var kind: Kind
    var isIndex: Bool { if case .index = kind { true } else { false } }
    /// The arm with the change.
    ///
    /// The arm's name is also the candidate's name.
    var arm: Arm
    /// The name of a group of indexes for a sentence, or `nil` for another change.
    var groupTitle: String?
    /// The scenario line or SQL statement that makes the change.
    var change: String
    /// A cost that the metrics do not show.
    var cost: String
    /// Whether a power failure can lose commits that the current arm would keep.
    var weakensDurability = false
    /// The index of the finding whose cause the change may remove, if any.
    var finding: Int?
    /// Larger transactions of a client, which change the load instead of the arm.
    var batch: WriteBatch?

    /// The name for a sentence.
    var title: String { groupTitle ?? arm.name }

    /// Returns whether this candidate creates all indexes of another one.
    ///
    /// A group may contain an index of another table.
    func contains(_ other: AdviceCandidate) -> Bool {
        other.isIndex && Set(other.arm.setup).isSubset(of: arm.setup)
    }
}

/// Options for an advice search.
package struct AdviceOptions: Sendable {
    /// The name of the arm to change.
    ///
    /// If `nil`, the search uses the arm named `present` or, if there is none, the first arm.
    package var arm: String?
    /// The time limit, after which the search ends and returns its findings so far.
    package var timeLimit: Duration = .seconds(300)
    /// A function that returns advice on indexes for the plans of statements on an open database.
    package var indexes:
        @Sendable (any WorkloadTarget, [OperationProfile.Plan]) throws -> IndexAdvice = { _, _ in
            IndexAdvice()
        }
    /// The options for each run.
    package var run = RunOptions()
    /// The library versions to record in the result's environment.
    package var versions: [String: String] = [:]
    /// A function that receives a description of each step before the step starts.
    package var onProgress: (@Sendable (String) -> Void)?

    /// Creates the default options, with a limit of five minutes.
    package init() {}
}

/// Indexes that may make statements faster, and what prevents one.
package struct IndexAdvice: Sendable, Equatable {
    /// Sets of `CREATE INDEX` statements, most promising first.
    package var indexes: [[String]]
    /// The reasons that statements cannot use an index.
    package var obstacles: [LoadFacts.Obstacle]

    /// Creates advice.
    package init(indexes: [[String]] = [], obstacles: [LoadFacts.Obstacle] = []) {
        self.indexes = indexes
        self.obstacles = obstacles
    }
}
