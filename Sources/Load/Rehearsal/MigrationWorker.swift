import CSQLite
import Foundation
import SQLText
import Synchronization
import Telemetry

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The worker process of a rehearsal.
///
/// The migration is someone else's SQL, so only this process executes it. It can be interrupted or
/// killed at any time, and ends when its standard input is closed.
package enum MigrationWorker {
    /// Performs the job on standard input, and ends the process.
    package static func run() -> Never {
        signal(SIGINT, SIG_IGN)
        guard let line = readLine(), let data = line.data(using: .utf8),
            let job = try? JSONDecoder().decode(RehearsalJob.self, from: data)
        else { exit(64) }
        let session = WorkerSession(job)
        Thread.detachNewThread { session.followCommands() }
        session.perform()
        // Closing the input ends the process, so that the reader has received the last message.
        while true { sleep(3600) }
    }
}

private final class WorkerSession: Sendable {
    private struct State {
        var connection: WorkerConnection?
        var interruptedAt: UInt64?
    }

    private let job: RehearsalJob
    private let state = Mutex(State())
    private let start = DispatchSemaphore(value: 0)

    init(_ job: RehearsalJob) {
        self.job = job
    }

    /// Follows the commands on standard input until its end.
    func followCommands() {
        while let command = readLine() {
            switch command {
            case RehearsalJob.start: start.signal()
            case RehearsalJob.interrupt:
                let connection = state.withLock { state in
                    state.interruptedAt = monotonicNanoseconds()
                    return state.connection
                }
                connection?.interrupt()
            default: break
            }
        }
        _exit(0)
    }

    func perform() {
        do throws(WorkerFailure) {
            let begin = monotonicNanoseconds()
            let connection = try WorkerConnection(
                path: job.database,
                busyTimeout: job.busyTimeout,
                isGuarded: job.isMigration
            )
            state.withLock { $0.connection = connection }
            // Recovers the log, or rolls back the journal.
            _ = try connection.integers("SELECT count(*) FROM sqlite_schema")
            if let mode = job.journalMode {
                _ = try connection.texts("PRAGMA journal_mode = \(mode)")
            }
            connection.startGuard()
            var ready = RehearsalMessage(.ready)
            ready.openingTime = monotonicNanoseconds() - begin
            ready.journalMode = try connection.texts("PRAGMA journal_mode").first
            send(ready)
            start.wait()
            try perform(job.task, on: connection)
        } catch {
            var message = RehearsalMessage(.failed)
            message.failure = error
            send(message)
        }
    }

    private func perform(
        _ task: RehearsalJob.Task,
        on connection: WorkerConnection
    ) throws(WorkerFailure) {
        var message = RehearsalMessage(.finished)
        switch task {
        case .migrate(let steps):
            migrate(steps, on: connection)
            return
        case .check(let isQuick): message.checks = try check(connection, isQuick: isQuick)
        case .digest: message.digests = try digest(connection)
        case .describe:
            message.tables = try describe(connection)
            message.freePages = try connection.integers("PRAGMA freelist_count").first ?? nil
            message.autoVacuum = try connection.integers("PRAGMA auto_vacuum").first ?? nil
        }
        send(message)
    }

    private func send(_ message: RehearsalMessage) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        guard var line = try? encoder.encode(message) else { _exit(70) }
        line.append(UInt8(ascii: "\n"))
        line.withUnsafeBytes { bytes in
            var offset = 0
            while offset < bytes.count {
                let count = write(1, bytes.baseAddress.map { $0 + offset }, bytes.count - offset)
                guard count > 0 || errno == EINTR else { _exit(0) }
                offset += max(0, count)
            }
        }
    }

    // MARK: Migration

    private func migrate(_ steps: [MigrationStep], on connection: WorkerConnection) {
        let probe = LockProbe(path: job.database)
        let begin = monotonicNanoseconds()
        for (index, step) in steps.enumerated() {
            var began = RehearsalMessage(.began)
            began.step = index
            send(began)
            if connection.isAutocommit { probe.separate() }
            _ = probe.takeStep()
            let changes = connection.changes
            let start = monotonicNanoseconds()
            var batches: BatchRunner.Counts?
            do throws(WorkerFailure) {
                // An interrupt between two statements has no effect on the connection.
                if state.withLock({ $0.interruptedAt != nil }) {
                    throw WorkerFailure(message: "interrupted", code: "SQLITE_INTERRUPT")
                }
                switch step {
                case .statement(let statement): try connection.run(statement.sql)
                case .batches(let batched):
                    batches = try BatchRunner(
                        batched,
                        step: index,
                        on: connection,
                        probe: probe,
                        maximumHold: job.maximumHold
                    ).run()
                }
            } catch {
                fail(error, step: index, on: connection, probe: probe, since: begin)
                return
            }
            let duration = monotonicNanoseconds() - start
            if connection.isAutocommit { probe.separate() }
            let locks = probe.takeStep()
            var ended = RehearsalMessage(.ended)
            ended.step = index
            ended.result = StepResult(
                duration: duration,
                changes: connection.changes - changes,
                longestWriteHold: min(locks.longestWriteHold, monotonicNanoseconds() - begin),
                longestReadBlock: locks.longestReadBlock,
                endsOutsideTransaction: connection.isAutocommit,
                batches: batches?.batches,
                largestBatch: batches?.largest
            )
            send(ended)
        }
        if steps.contains(where: { if case .batches = $0 { true } else { false } }) {
            try? connection.run("DROP TABLE IF EXISTS \(BatchRunner.progressTable)")
        }
        rollBack(connection)
        finish(RehearsalMessage(.finished), probe: probe, since: begin)
    }

    private func fail(
        _ failure: WorkerFailure,
        step: Int,
        on connection: WorkerConnection,
        probe: LockProbe,
        since begin: UInt64
    ) {
        rollBack(connection)
        var message = RehearsalMessage(.failed)
        message.step = step
        message.failure = failure
        if let interruptedAt = state.withLock({ $0.interruptedAt }) {
            message.failure?.rollbackTime = monotonicNanoseconds() - interruptedAt
        }
        finish(message, probe: probe, since: begin)
    }

    /// Rolls back an open transaction, as closing the connection would.
    private func rollBack(_ connection: WorkerConnection) {
        if !connection.isAutocommit { try? connection.run("ROLLBACK") }
    }

    private func finish(_ message: RehearsalMessage, probe: LockProbe, since begin: UInt64) {
        let duration = monotonicNanoseconds() - begin
        let (locks, space) = probe.finish()
        var message = message
        message.measurements = WorkerMeasurements(duration: duration, locks: locks, space: space)
        send(message)
    }

    // MARK: Other tasks

    private func check(
        _ connection: WorkerConnection,
        isQuick: Bool
    ) throws(WorkerFailure) -> IntegrityResult {
        var result = IntegrityResult()
        let pragma = isQuick ? "quick_check" : "integrity_check"
        result.problems = try connection.texts("PRAGMA \(pragma)(10)").filter { $0 != "ok" }
        if isQuick { return result }
        do throws(WorkerFailure) {
            for table in try connection.texts("PRAGMA foreign_key_check") {
                result.foreignKeyViolations[table, default: 0] += 1
            }
        } catch {
            // A foreign key whose parent has no such key is an error of the schema.
            result.problems.append("foreign keys: \(error.message)")
        }
        return result
    }

    private func digest(_ connection: WorkerConnection) throws(WorkerFailure) -> [String: RowDigest]
    {
        var digests: [String: RowDigest] = [:]
        for table in try describe(connection) where table.isOrdinary {
            var digest = RowDigest()
            try connection.forEachRow(of: "SELECT * FROM \(SQLIdentifier.text(table.name))") {
                row in
                digest.rows += 1
                digest.sum &+= row.hash
            }
            digests[table.name] = digest
        }
        return digests
    }

    private func describe(_ connection: WorkerConnection) throws(WorkerFailure) -> [TableFacts] {
        var tables: [(name: String, isOrdinary: Bool)] = []
        try connection.forEachRow(
            of: """
                SELECT name, type, sql FROM sqlite_schema
                WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
                """
        ) { row in
            let isVirtual = row.text(2)?.uppercased().hasPrefix("CREATE VIRTUAL") ?? false
            tables.append((row.text(0) ?? "", row.text(1) == "table" && !isVirtual))
        }
        let triggers = Set(
            try connection.texts("SELECT lower(tbl_name) FROM sqlite_schema WHERE type = 'trigger'")
        )
        var facts: [TableFacts] = []
        for (name, isOrdinary) in tables {
            var columns: [String] = []
            var keys: [String] = []
            let identifier = SQLIdentifier.text(name)
            try? connection.forEachRow(of: "PRAGMA table_xinfo(\(identifier))") { row in
                let column = row.text(1)?.lowercased() ?? ""
                columns.append(column)
                guard row.integers[5] != 0 else { return }
                keys.append(row.text(2)?.uppercased() == "INTEGER" ? column : "")
            }
            let hasRowIDs =
                isOrdinary && !columns.contains("rowid")
                && (try? connection.texts("SELECT rowid FROM \(identifier) LIMIT 0")) != nil
            facts.append(
                TableFacts(
                    name: name,
                    key: keys.count == 1 && !keys[0].isEmpty ? keys[0] : nil,
                    hasRowIDs: hasRowIDs,
                    columns: columns,
                    hasTriggers: triggers.contains(name.lowercased()),
                    isOrdinary: isOrdinary
                )
            )
        }
        return facts
    }
}

extension RehearsalJob {
    fileprivate var isMigration: Bool {
        if case .migrate = task { true } else { false }
    }
}

/// A loop that executes a statement in batches, each in a transaction that holds the write lock for
/// a short time.
struct BatchRunner {
    /// The table in which each transaction records its progress.
    static let progressTable = "poolgauge_batches"

    struct Counts {
        var batches = 0
        /// The number of row IDs in the largest batch.
        var largest = 0
    }

    private let batched: BatchedStatement
    private let step: Int
    private let connection: WorkerConnection
    private let probe: LockProbe
    private let maximumHold: UInt64

    init(
        _ batched: BatchedStatement,
        step: Int,
        on connection: WorkerConnection,
        probe: LockProbe,
        maximumHold: UInt64
    ) {
        self.batched = batched
        self.step = step
        self.connection = connection
        self.probe = probe
        self.maximumHold = maximumHold
    }

    func run() throws(WorkerFailure) -> Counts {
        var counts = Counts()
        let isWAL = try connection.texts("PRAGMA journal_mode").first == "wal"
        if isWAL {
            // The checkpoint of a commit would count for the time of the batch.
            try connection.run("PRAGMA wal_autocheckpoint = 0")
            try connection.run("PRAGMA synchronous = NORMAL")
        }
        try connection.run(
            "CREATE TABLE IF NOT EXISTS \(Self.progressTable) "
                + "(step INTEGER PRIMARY KEY, next INTEGER, last INTEGER)"
        )
        let bounds = try connection.integers(batched.boundsSQL)
        guard bounds.count == 2, var from = bounds[0], let last = bounds[1] else { return counts }
        var pace = BatchPace(maximumHold: maximumHold)
        while from <= last {
            let upto = try connection.integers(
                batched.nextSQL,
                values: [
                    ":poolgauge_from": from, ":poolgauge_last": last,
                    ":poolgauge_rows": Int64(pace.rows),
                ]
            )
            guard let upto = upto.first ?? nil else { break }
            let (isDone, held) = try transaction(from: from, upto: upto, last: last, pace)
            probe.separate()
            let pause = pace.adapt(held: held, isDone: isDone)
            if isDone {
                counts.batches += 1
                counts.largest = max(counts.largest, pace.lastRows)
                guard upto < Int64.max else { break }
                from = upto + 1
            }
            if isWAL, pace.isCheckpointDue { try connection.run("PRAGMA wal_checkpoint(PASSIVE)") }
            usleep(UInt32(clamping: pause / 1000))
        }
        return counts
    }

    /// Executes a batch, and returns whether it is complete and the time that it held the lock, in
    /// nanoseconds.
    ///
    /// If the batch takes too long, the transaction is rolled back.
    private func transaction(
        from: Int64,
        upto: Int64,
        last: Int64,
        _ pace: BatchPace
    ) throws(WorkerFailure) -> (isDone: Bool, held: UInt64) {
        try connection.run("BEGIN IMMEDIATE")
        let start = monotonicNanoseconds()
        let limit = pace.rows == 1 ? UInt64.max : start + pace.limit
        do throws(WorkerFailure) {
            try connection.run(
                batched.sql,
                [":poolgauge_from": from, ":poolgauge_upto": upto],
                until: limit
            )
            try connection.run(
                "REPLACE INTO \(Self.progressTable) VALUES (:step, :next, :last)",
                [
                    ":step": Int64(step), ":next": upto < .max ? upto + 1 : upto,
                    ":last": last,
                ]
            )
            try connection.run("COMMIT")
            return (true, monotonicNanoseconds() - start)
        } catch {
            if !connection.isAutocommit { try connection.run("ROLLBACK") }
            guard error.code == "SQLITE_INTERRUPT", monotonicNanoseconds() > limit else {
                throw error
            }
            return (false, monotonicNanoseconds() - start)
        }
    }
}

/// The sizes of batches, which depend on the times of the previous ones.
///
/// The script of ``BatchedMigration`` computes the same sizes.
struct BatchPace {
    /// The number of row IDs in the next batch.
    private(set) var rows = BatchPace.first
    /// The number of row IDs in the previous batch.
    private(set) var lastRows = 0
    /// The time for which batches held the lock since the last checkpoint, in nanoseconds.
    private var held: UInt64 = 0
    private let maximumHold: UInt64

    static let first = 100
    static let largest = 1_000_000
    /// The share of the maximum time that a batch should take.
    ///
    /// A commit waits for the disk, and threads of others delay the batch, so the rest is a reserve.
    static let aim = 0.3
    /// The share of the maximum time after which a batch is rolled back.
    static let abort = 0.6
    /// The time for which batches hold the lock between two checkpoints, in nanoseconds.
    static let checkpointInterval: UInt64 = 250_000_000

    init(maximumHold: UInt64) {
        self.maximumHold = maximumHold
    }

    /// The time after which the batch is rolled back, in nanoseconds.
    var limit: UInt64 { UInt64(Double(maximumHold) * Self.abort) }

    /// Computes the next size.
    ///
    /// - Returns: The pause before the next batch, in nanoseconds, which is as long as the batch so
    ///   that others can write in between.
    mutating func adapt(held time: UInt64, isDone: Bool) -> UInt64 {
        lastRows = rows
        held += time
        let ratio = Double(maximumHold) * Self.aim / Double(max(time, 1))
        let factor = isDone ? min(2, max(0.25, ratio)) : 0.25
        rows = min(Self.largest, max(1, Int(Double(rows) * factor)))
        return max(time, 1_000_000)
    }

    /// Whether a checkpoint is due, after which the next one is due later.
    var isCheckpointDue: Bool {
        mutating get {
            guard held >= Self.checkpointInterval else { return false }
            held = 0
            return true
        }
    }
}
