import ArgumentParser
import Foundation
import SQLiteWatch
import TerminalUI
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
        let report = try watch()
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
    private func watch() throws -> WatchReport {
        var options = WatchOptions()
        options.readsTables = false
        let session: WatchSession
        do {
            session = try WatchSession(
                paths: [path],
                helper: ClientProcess.command(WatchHelperSubcommand.name),
                options: options
            )
        } catch { throw CommandFailure(error.description, status: ExitStatus.failed.rawValue) }
        session.sample()
        let isPresent = session.states.allSatisfy { $0.state == .present }
        session.run(for: isPresent ? Self.glance : .zero)
        return session.reports()[0]
    }

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
        do {
            let copy = try DatabaseCopy.make(
                of: path,
                in: folder.url.path,
                limit: copyLimit,
                isInUse: !report.processes.isEmpty
            )
            findings += SchemaChecks.findings(on: copy.path)
            return DatabaseExamination.Copy(bytes: copy.bytes)
        } catch {
            let (reason, remedy) = Self.words(error, limit: copyLimit, folder: folder.url.path)
            findings.append(
                DatabaseExamination.Finding(
                    part: .copy,
                    mark: .note,
                    text: "Statistics and foreign keys were not checked: \(reason).",
                    remedy: remedy
                )
            )
            return DatabaseExamination.Copy(skipped: reason)
        }
    }

    private static func words(
        _ refusal: DatabaseCopy.Refusal,
        limit: UInt64,
        folder: String
    ) -> (reason: String, remedy: String?) {
        switch refusal {
        case .tooLarge(let bytes):
            (
                "a copy would have \(HumanUnits.bytes(bytes)), and the limit is "
                    + HumanUnits.bytes(limit),
                "Allow it with --copy-limit \(bytes / (1 << 30) + 1)GiB."
            )
        case .noRoom(let bytes, let free):
            (
                "a copy would have \(HumanUnits.bytes(bytes)), and the folder for temporary files "
                    + "has room for \(HumanUnits.bytes(free))",
                "Set TMPDIR to a folder with more room."
            )
        case .changing(let reason):
            (
                "no consistent copy could be made: \(reason)",
                "Try again when fewer transactions write to it."
            )
        case .severalDatabases:
            (
                "its hot journal belongs to a transaction of several databases, which a copy of "
                    + "one cannot roll back",
                nil
            )
        case .failed(let reason): (reason, nil)
        }
    }
    #endif
}
