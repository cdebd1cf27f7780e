import ArgumentParser
import Findings
import Foundation
import SQLiteWatch
import WorkloadEngine

/// An examination of a database file that may be in use by other programs.
///
/// This process does not open the file with SQLite, lock it, or write to it. A ``WatchSession``
/// reads headers and locks. Checks that require SQLite run on a copy.
struct DatabaseDoctor {
    var path: String
    /// The size limit for the copy, in bytes.
    var copyLimit: UInt64 = 1 << 30

    /// The time to watch the database.
    ///
    /// The time exceeds the minimum duration of a reported lock or pin.
    private static let watchDuration = Duration.milliseconds(1_200)

    /// Examines the database.
    ///
    /// - Throws: ``CommandFailure`` if the file is not a readable database.
    func examine() throws -> DatabaseExamination {
        #if os(Linux)
        let report = try PrivateCopy.watch(path, for: Self.watchDuration)
        try DatabaseFileProblem.check(report, path: path)
        var findings = FileChecks(report: report).findings
        let copy = try examineCopy(report, &findings)
        return DatabaseExamination(
            file: report.file,
            wal: report.wal,
            rollback: report.rollback,
            processes: report.processes,
            copy: copy,
            findings: findings,
            notes: report.notes
        )
        #else
        throw CommandFailure(
            "--database works only on Linux, where /proc/locks shows whether a database is in use",
            status: ExitStatus.failed.rawValue
        )
        #endif
    }

    #if os(Linux)
    /// Runs the checks that require SQLite on a temporary copy.
    private func examineCopy(
        _ report: WatchReport,
        _ findings: inout [DatabaseExamination.Finding]
    ) throws -> DatabaseExamination.Copy {
        let folder = try RunFolder(isKept: false)
        // Copying and checking may take a long time, so a signal ends the process immediately.
        let interruption = Interruption {
            folder.remove()
            CommandFailure.exit(with: ExitCode(ExitStatus.interrupted.rawValue))
        }
        defer {
            withExtendedLifetime(interruption) {}
            folder.remove()
        }
        do throws(PrivateCopy.Problem) {
            let copy = try PrivateCopy.make(of: path, in: folder.url, limit: copyLimit, report)
            findings += SchemaChecks.findings(on: copy.path)
            return DatabaseExamination.Copy(bytes: copy.bytes)
        } catch {
            findings.append(
                DatabaseExamination.Finding(
                    part: .copy,
                    mark: .note,
                    text: "Statistics and foreign keys were not checked, because the database "
                        + "could not be copied: \(error.reason).",
                    remedy: error.remedy
                )
            )
            return DatabaseExamination.Copy(skipped: error.reason)
        }
    }
    #endif
}
