import ArgumentParser
import Foundation
import Rehearsal
import SQLText
import Scenarios
import Synchronization
import Text
import WorkloadEngine

/// A rehearsal of a migration on copies of a database.
struct RehearsalRun {
    /// The load to run beside the migration.
    struct LoadSource {
        var scenario: Scenario
        var arm: Arm
    }

    let script: MigrationScript
    /// The database, as given.
    let database: String
    /// The name of the script, as given.
    let migration: String
    var load: LoadSource?
    /// The folder for the copies, or `nil` for that of the database.
    var copyFolder: String?
    var busyTimeout = Duration.seconds(5)
    /// The longest time that a batch may hold the write lock.
    var maximumHold = Duration.milliseconds(50)
    /// How long to measure the load before and after the migration.
    var margin = Duration.seconds(5)
    var interrupts = true
    var proposesBatches = true
    var progress = ProgressMode.auto
    /// The file for the program that executes the batches.
    var batchedScript: ReportDestination?
    /// The name of that file, as given.
    var batchedScriptName: String?

    /// Rehearses the migration.
    ///
    /// - Returns: The report, without limits and without an exit status, and the signal that ended
    ///   the rehearsal early, if any.
    /// - Throws: ``CommandFailure`` if the migration cannot be rehearsed.
    func run() throws -> (report: RehearsalReport, signal: Int32?) {
        let source = try DatabaseFile.url(database)
        let reporter = ProgressReporter(progress)
        let control = RehearsalControl()
        let interruption = Interruption(cleanUp: control.removeFolder) { control.stop() }
        let copies = try RehearsalCopies(
            of: source,
            in: copyFolder,
            control: control,
            reporting: { reporter.showStep($0) }
        )
        defer { control.removeFolder() }
        let stage = RehearsalStage(self, copies: copies, control: control, reporter: reporter)
        var report = RehearsalReport(
            migration: migration,
            database: database,
            versions: HeadlessRun.versions,
            busyTimeout: UInt64(max(0, busyTimeout / .nanoseconds(1))),
            statements: script.statements.map { .init(line: $0.line, text: $0.summary()) }
        )
        do {
            try stage.perform(&report)
            try control.check()
        } catch  where control.isStopped {
            reporter.finish()
            report.failure = "interrupted; the original is unchanged"
            return (report, interruption.signal)
        }
        reporter.finish()
        return (report, interruption.signal)
    }
}

/// The control of a rehearsal, with which a signal ends its current part.
final class RehearsalControl: Sendable {
    private struct State {
        var isStopped = false
        /// The process ID of the worker that runs, if any.
        var worker: Int32?
        var load: WorkloadRun?
        /// The folder of the copies, if it exists.
        var folder: URL?
    }

    private let state = Mutex(State())

    var isStopped: Bool { state.withLock { $0.isStopped } }

    /// Ends the current part and all later parts.
    func stop() {
        let (worker, load) = state.withLock { state in
            state.isStopped = true
            return (state.worker, state.load)
        }
        if let worker { kill(worker, SIGKILL) }
        load?.stop()
    }

    /// Sets the folder that ``removeFolder()`` removes.
    func follow(folder: URL) { state.withLock { $0.folder = folder } }

    /// Removes the folder of the copies.
    func removeFolder() {
        let folder = state.withLock { state in
            defer { state.folder = nil }
            return state.folder
        }
        if let folder { try? FileManager.default.removeItem(at: folder) }
    }

    /// Throws if a signal has ended the rehearsal.
    func check() throws {
        if isStopped { throw CancellationError() }
    }

    /// Sets the worker that a signal ends, or `nil` after its end.
    func follow(worker: Int32?) {
        let isStopped = state.withLock { state in
            state.worker = worker
            return state.isStopped
        }
        if isStopped, let worker { kill(worker, SIGKILL) }
    }

    /// Sets the load that a signal ends, or `nil` after its end.
    func follow(load: WorkloadRun?) {
        let isStopped = state.withLock { state in
            state.load = load
            return state.isStopped
        }
        if isStopped { load?.stop() }
    }
}
