import ArgumentParser
import Foundation
import SQLiteWatch
import WorkloadEngine

/// Examines a database file that other programs may use.
///
/// The file is not opened through SQLite, and neither locked nor written: a ``WatchSession`` reads
/// its headers and locks, and the checks that need SQLite run on a copy.
struct DatabaseDoctor {
    /// The database.
    var path: String
    /// The most bytes that are copied.
    var copyLimit: UInt64 = 1 << 30

    /// How long the database is watched: longer than a lock or a pin must last to be reported.
    private static let glance = Duration.milliseconds(1_200)

    /// Examines the database.
    ///
    /// - Throws: ``CommandFailure`` where there is no database that can be read.
    func examine() throws -> DatabaseExamination {
        #if os(Linux)
        let report = try PrivateCopy.watch(path, for: Self.glance)
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
            "--database needs Linux, whose list of locks shows whether a database is in use",
            status: ExitStatus.failed.rawValue
        )
        #endif
    }

    #if os(Linux)
    /// Makes a copy, runs the checks that need SQLite on it, and removes it.
    private func examineCopy(
        _ report: WatchReport,
        _ findings: inout [DatabaseExamination.Finding]
    ) throws -> DatabaseExamination.Copy {
        let folder = try RunFolder(isKept: false)
        // A copy and its checks take as long as the database is large: a signal ends them at once.
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
                    text: "Statistics and foreign keys were not checked: \(error.reason).",
                    remedy: error.remedy
                )
            )
            return DatabaseExamination.Copy(skipped: error.reason)
        }
    }
    #endif
}
