import Foundation
import Rehearsal
import SQLText
import Text
import WorkloadEngine

/// The parts of a rehearsal, in order.
struct RehearsalStage {
    private let run: RehearsalRun
    private let copies: RehearsalCopies
    private let control: RehearsalControl
    private let reporter: ProgressReporter
    private let steps: [MigrationStep]
    private let temporaryFolder: String
    private let temporaryReserve: UInt64

    init(
        _ run: RehearsalRun,
        copies: RehearsalCopies,
        control: RehearsalControl,
        reporter: ProgressReporter
    ) {
        self.run = run
        self.copies = copies
        self.control = control
        self.reporter = reporter
        steps = run.script.statements.map { .statement($0) }
        temporaryFolder = Self.temporaryFolder
        temporaryReserve = RehearsalCopies.reserve(in: temporaryFolder)
    }

    /// The folder in which SQLite creates temporary files (<https://sqlite.org/tempfiles.html>).
    private static var temporaryFolder: String {
        let variables = ProcessInfo.processInfo.environment
        let folders =
            [variables["SQLITE_TMPDIR"], variables["TMPDIR"]].compactMap(\.self)
            + ["/var/tmp", "/usr/tmp", "/tmp"]
        return folders.first { folder in
            var information = stat()
            return stat(folder, &information) == 0 && information.st_mode & S_IFMT == S_IFDIR
                && access(folder, W_OK | X_OK) == 0
        } ?? "."
    }

    func perform(_ report: inout RehearsalReport) throws {
        try copies.copyOriginal(run.database)
        // The other runs would load the disk before the run that matters most.
        if run.load != nil {
            report.underLoad = try underLoad(steps, for: "run under load", report: &report)
            try setSpace(&report)
        }
        let path = try copies.make(for: "run alone")
        let facts = try describe(path)
        reporter.showStep("executing the migration alone")
        let alone = try migrate(steps, on: path, load: nil, report: &report)
        report.alone = alone
        try setSpace(&report)
        let digests = alone.failure == nil && run.proposesBatches ? path : nil
        report.alone?.checks = try check(path)
        if digests == nil { copies.remove(path) }
        if [report.alone, report.underLoad].contains(where: { $0?.checks?.isSound == false }) {
            let copy = try copies.make(for: "check of the original")
            report.original = try check(copy)
            copies.remove(copy)
        }
        if alone.failure == nil {
            if run.interrupts { report.interruption = try interrupt(alone) }
            if run.proposesBatches { try propose(facts, reference: path, report: &report) }
        }
        addNotes(&report)
    }

    private func underLoad(
        _ steps: [MigrationStep],
        for purpose: String,
        report: inout RehearsalReport
    ) throws -> RehearsalReport.Run? {
        guard let source = run.load else { return nil }
        report.load = .init(scenario: source.scenario.name, arm: source.arm.name)
        let path = try copies.make(for: purpose)
        defer { copies.remove(path) }
        let load = RehearsalLoad(
            source.scenario,
            arm: source.arm,
            on: path,
            in: copies.folder,
            control: control
        ) { [reporter] in reporter.showStep($0) }
        var result: RehearsalReport.Run
        do {
            defer { load.stop() }
            try load.waitUntilRunning()
            result = try migrate(steps, on: path, load: load, report: &report)
        }
        result.periods = load.periods.results.filter { $0.name != Self.warmUp }
        result.checks = try check(path)
        return result
    }

    // MARK: Workers

    private func worker(_ task: RehearsalJob.Task, on path: String) throws -> WorkerProcess {
        var job = RehearsalJob(database: path, task: task)
        job.busyTimeout = Int32(clamping: Int(run.busyTimeout / .milliseconds(1)))
        job.maximumHold = UInt64(max(0, run.maximumHold / .nanoseconds(1)))
        if case .migrate = task { job.journalMode = journalMode }
        return try WorkerProcess(job, control: control) { try checkSpace() }
    }

    /// The journal mode that the load's connections use, or `nil` for that of the file.
    private var journalMode: String? {
        guard let arm = run.load?.arm else { return nil }
        return arm.isWAL ? "wal" : arm.journal?.rawValue
    }

    /// Ends the rehearsal before it fills a disk that other programs need.
    private func checkSpace() throws {
        for (folder, reserve) in [
            (copies.folder.path, copies.reserve), (temporaryFolder, temporaryReserve),
        ] {
            guard let free = FreeSpace.bytes(in: folder), free < reserve else { continue }
            throw CommandFailure(
                "the migration was ended before it fills the disk: only "
                    + "\(HumanUnits.bytes(free)) are free in '\(folder)'. Free some space, or "
                    + "specify another folder with --copies, and with TMPDIR for temporary files. "
                    + "The original is unchanged.",
                status: ExitStatus.failed.rawValue
            )
        }
    }

    /// Performs a task that must not fail.
    private func perform(
        _ task: RehearsalJob.Task,
        _ title: String,
        on path: String
    ) throws -> RehearsalMessage {
        let worker = try worker(task, on: path)
        defer { worker.end() }
        do {
            _ = try worker.waitUntilReady()
            try worker.start()
            return try worker.finish()
        } catch WorkerProcess.Failure.failed(let message) {
            throw CommandFailure(
                "\(title) failed: \(message.failure?.message ?? "unknown")",
                status: ExitStatus.failed.rawValue
            )
        } catch WorkerProcess.Failure.ended {
            throw Self.ended(title)
        }
    }

    private static func ended(_ title: String) -> CommandFailure {
        CommandFailure(
            "\(title) failed: its process ended unexpectedly, possibly because the system had too "
                + "little memory",
            status: ExitStatus.failed.rawValue
        )
    }

    private func describe(_ path: String) throws -> BatchedMigration.Facts {
        let message = try perform(.describe, "reading the schema", on: path)
        return BatchedMigration.Facts(
            tables: message.tables ?? [],
            freePages: message.freePages,
            autoVacuum: message.autoVacuum
        )
    }

    private func check(_ path: String) throws -> IntegrityResult? {
        reporter.showStep("checking the integrity")
        return try perform(.check(isQuick: false), "the integrity check", on: path).checks
    }

    private static let warmUp = "warm-up"

    /// Executes a migration.
    private func migrate(
        _ steps: [MigrationStep],
        on path: String,
        load: RehearsalLoad?,
        report: inout RehearsalReport
    ) throws -> RehearsalReport.Run {
        let worker = try worker(.migrate(steps), on: path)
        defer { worker.end() }
        do {
            let ready = try worker.waitUntilReady()
            report.journalMode = ready.journalMode ?? report.journalMode
            if let load {
                load.periods.begin(Self.warmUp)
                try sleep(.seconds(1), watching: load)
                load.periods.begin("before")
                try sleep(run.margin, watching: load)
                reporter.showStep("executing the migration under load")
                load.periods.begin("during")
            }
        } catch WorkerProcess.Failure.failed(let message) {
            throw CommandFailure(
                "the copy cannot be opened: \(message.failure?.message ?? "unknown")",
                status: ExitStatus.failed.rawValue
            )
        }
        var results: [StepResult] = []
        let last: RehearsalMessage
        do {
            try worker.start()
            last = try worker.finish { message in
                if message.event == .ended, let result = message.result { results.append(result) }
                if message.event == .began, let step = message.step, steps.count > 1 {
                    reporter.showStep(
                        "executing step \(step + 1) of \(steps.count)"
                            + (load == nil ? "" : " under load")
                    )
                }
                try load?.checkThatItRuns()
            }
        } catch WorkerProcess.Failure.failed(let message) {
            last = message
        } catch WorkerProcess.Failure.ended {
            throw Self.ended("the migration")
        }
        if let load {
            // A client that waited for the last lock sleeps for up to 100 ms before it retries.
            try sleep(.milliseconds(300), watching: load)
            load.periods.begin("after")
            try sleep(run.margin, watching: load)
        }
        guard let measurements = last.measurements else { throw Self.ended("the migration") }
        var result = RehearsalReport.Run(measurements: measurements, steps: results)
        if let failure = last.failure {
            let line = steps[min(last.step ?? 0, steps.count - 1)].line
            guard !failure.isDenied else {
                throw CommandFailure(
                    "\(run.migration): line \(line): \(failure.message); a rehearsal executes a "
                        + "migration only on its copy. Remove the statement, or rehearse the others "
                        + "without it.",
                    status: ExitStatus.failed.rawValue
                )
            }
            guard failure.code != "SQLITE_FULL" else {
                throw CommandFailure(
                    "\(run.migration): line \(line): the disk is full: the copies in "
                        + "'\(copies.folder.deletingLastPathComponent().path)' and the temporary files "
                        + "in '\(temporaryFolder)' need more space. Specify another folder with "
                        + "--copies, and with TMPDIR for temporary files. The original is unchanged.",
                    status: ExitStatus.failed.rawValue
                )
            }
            result.failure = .init(
                line: line,
                message: failure.message,
                code: failure.code,
                isDenied: false,
                committedStatements: Self.committed(results)
            )
        }
        return result
    }

    private func sleep(_ duration: Duration, watching load: RehearsalLoad) throws {
        let end = ContinuousClock.now + duration
        while ContinuousClock.now < end {
            try control.check()
            try checkSpace()
            try load.checkThatItRuns()
            usleep(20_000)
        }
    }

    /// Returns the number of steps of committed transactions.
    private static func committed(_ results: [StepResult]) -> Int {
        (results.lastIndex { $0.endsOutsideTransaction } ?? -1) + 1
    }

    // MARK: Interruption

    private func interrupt(
        _ alone: RehearsalReport.Run
    ) throws -> RehearsalReport.Interruption {
        let half = Duration.nanoseconds(Int64(alone.duration / 2))
        reporter.showStep("interrupting the migration")
        let interrupted = try end(after: half, isKilled: false)
        reporter.showStep("killing the migration")
        return .init(interrupted: interrupted, killed: try end(after: half, isKilled: true))
    }

    /// Executes the migration, and ends it after a time.
    private func end(
        after time: Duration,
        isKilled: Bool
    ) throws -> RehearsalReport.Interruption.Outcome {
        let path = try copies.make(for: "interruption", isSynced: false)
        defer { copies.remove(path) }
        var results: [StepResult] = []
        var isComplete = false
        var recoveryTime: UInt64?
        do {
            let worker = try worker(.migrate(steps), on: path)
            defer { worker.end() }
            _ = try worker.waitUntilReady()
            try worker.start()
            let deadline = ContinuousClock.now + time
            func add(_ message: RehearsalMessage) {
                if let result = message.result { results.append(result) }
                isComplete = isComplete || message.event == .finished
            }
            while !isComplete, let message = try worker.receive(until: deadline) { add(message) }
            if !isComplete {
                if isKilled { worker.end() } else { try worker.interrupt() }
                // A killed process may also have sent messages that are not yet received.
                do {
                    _ = try worker.finish(add)
                    isComplete = true
                } catch WorkerProcess.Failure.failed(let message) {
                    recoveryTime = message.failure?.rollbackTime
                } catch WorkerProcess.Failure.ended where isKilled {}
            }
        } catch WorkerProcess.Failure.ended {
            throw Self.ended("the migration")
        }
        var outcome = RehearsalReport.Interruption.Outcome(
            after: UInt64(max(0, time / .nanoseconds(1))),
            wasComplete: isComplete,
            committedStatements: isComplete ? steps.count : Self.committed(results),
            recoveryTime: recoveryTime,
            remainingWAL: FreeSpace.size(of: path + "-wal"),
            remainingJournal: FreeSpace.size(of: path + "-journal"),
            problems: nil
        )
        guard !isComplete else { return outcome }
        let checker = try worker(.check(isQuick: true), on: path)
        defer { checker.end() }
        do {
            let ready = try checker.waitUntilReady()
            if isKilled { outcome.recoveryTime = ready.openingTime }
            try checker.start()
            outcome.problems = try checker.finish().checks?.problems
        } catch WorkerProcess.Failure.failed(let message) {
            outcome.problems = [message.failure?.message ?? "the database cannot be opened"]
        } catch WorkerProcess.Failure.ended {
            throw Self.ended("the integrity check")
        }
        return outcome
    }

    // MARK: Batches

    private func propose(
        _ facts: BatchedMigration.Facts,
        reference path: String,
        report: inout RehearsalReport
    ) throws {
        defer { copies.remove(path) }
        let maximum = UInt64(max(0, run.maximumHold / .nanoseconds(1)))
        let runs = [report.alone, report.underLoad].compactMap(\.self)
        let holds = run.script.statements.indices.map { index in
            runs.compactMap { run in
                index < run.steps.count ? run.steps[index].holdOfStatement : nil
            }
            .max() ?? 0
        }
        let migration = BatchedMigration(
            run.script,
            holds: holds,
            maximumHold: maximum,
            facts: facts
        )
        var batched = RehearsalReport.Batched(
            maximumHold: maximum,
            statements: migration.steps.compactMap { step in
                guard case .batches(let statement) = step else { return nil }
                return .init(line: statement.line, text: statement.sql)
            },
            remainders: migration.remainders,
            notes: migration.notes
        )
        guard migration.batchedCount > 0 else {
            if !batched.remainders.isEmpty { report.batched = batched }
            return
        }
        let copy = try copies.make(for: "batches")
        defer { copies.remove(copy) }
        reporter.showStep("executing the batches alone")
        batched.alone = try migrate(migration.steps, on: copy, load: nil, report: &report)
        if batched.alone?.failure == nil {
            reporter.showStep("comparing the rows")
            let expected = try perform(.digest, "comparing the rows", on: path).digests ?? [:]
            let actual = try perform(.digest, "comparing the rows", on: copy).digests ?? [:]
            let names = Set(expected.keys).union(actual.keys)
            batched.differences = names.filter { expected[$0] != actual[$0] }.sorted()
            // The current time differs between the two runs.
            batched.isEqual =
                batched.differences.isEmpty ? true : migration.usesClock ? nil : false
            batched.alone?.checks = try check(copy)
        }
        if run.load != nil, batched.alone?.failure == nil {
            batched.underLoad = try underLoad(
                migration.steps,
                for: "batches under load",
                report: &report
            )
        }
        if let destination = run.batchedScript {
            try destination.write(
                BatchedScript.python(migration, maximumHold: maximum, source: run.migration)
            )
            batched.script = run.batchedScriptName
        }
        report.batched = batched
    }

    // MARK: Space and notes

    private func setSpace(_ report: inout RehearsalReport) throws {
        let runs = [report.alone, report.underLoad].compactMap(\.self)
        let folder = runs.compactMap(\.space.temporaryFolder).last
        let original = URL(fileURLWithPath: run.database).resolvingSymlinksInPath()
            .deletingLastPathComponent().path
        let isShared = folder.map { Self.device($0) == Self.device(original) } ?? true
        report.space = .init(
            needed: runs.map(\.space.additional).max() ?? 0,
            free: Self.device(original) == Self.device(copies.folder.path)
                ? copies.initialFree : FreeSpace.bytes(in: original),
            temporary: runs.map(\.space.temporary).max() ?? 0,
            temporaryFolder: folder,
            temporaryFree: folder.flatMap { FreeSpace.bytes(in: $0) },
            isShared: isShared
        )
    }

    private static func device(_ path: String) -> UInt64? {
        var information = stat()
        return stat(path, &information) == 0 ? UInt64(information.st_dev) : nil
    }

    private func addNotes(_ report: inout RehearsalReport) {
        if run.script.endsInTransaction {
            report.notes.append(
                "the script leaves a transaction open, whose changes are rolled back; add COMMIT"
            )
        }
        let original = URL(fileURLWithPath: run.database).resolvingSymlinksInPath()
            .deletingLastPathComponent().path
        if Self.device(original) != Self.device(copies.folder.path) {
            report.notes.append(
                "the copies were on another file system than the database, so times can differ"
            )
        }
        if run.load == nil {
            report.notes.append(
                "without --load, no other program used the copy; with a load, the migration can take "
                    + "longer and fail"
            )
        }
        report.notes.append(
            "the migration's connection waited up to \(ReportUnits.time(report.busyTimeout)) for a "
                + "lock (--busy-timeout)"
        )
    }
}

extension StepResult {
    /// The time for which the statement itself held the write lock, in nanoseconds.
    ///
    /// The lock may have been acquired by an earlier statement of the transaction.
    fileprivate var holdOfStatement: UInt64 { min(duration, longestWriteHold) }
}
