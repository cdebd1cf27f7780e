import ArgumentParser
import Foundation
import Rehearsal
import SQLText
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
