#if os(Linux)
import Findings
import Text
import Foundation
import SQLiteWatch
import TerminalUI
import WorkloadEngine

/// Functions that copy a database without SQLite, because other programs may be using the database.
///
/// Reading a database through SQLite locks the database and writes to the `-shm` file. It may also
/// roll back the journal or create files that belong to this process's user. A private copy avoids
/// these side effects.
enum PrivateCopy {
    /// The reason that a copy failed, with a remedy.
    struct Problem: Error {
        var reason: String
        var remedy: String?
        var isTransient = false
    }

    /// Finds a database's locks and processes, and reads its headers, in a helper process.
    ///
    /// - Parameters:
    ///   - path: The database.
    ///   - duration: The time to watch a readable database.
    /// - Returns: The report.
    /// - Throws: ``CommandFailure`` if databases cannot be watched.
    static func watch(_ path: String, for duration: Duration = .zero) throws -> WatchReport {
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
        session.run(for: isPresent ? duration : .zero)
        return session.reports()[0]
    }

    /// Copies a database.
    ///
    /// - Parameters:
    ///   - path: The path of the database. The database must not be open with SQLite in this
    ///     process.
    ///   - folder: An empty folder for the copy.
    ///   - limit: The size limit for the copy, in bytes.
    ///   - report: The report from ``watch(_:for:)``.
    /// - Returns: The copy.
    /// - Throws: A ``Problem`` if the copy fails.
    static func make(
        of path: String,
        in folder: URL,
        limit: UInt64 = .max,
        _ report: WatchReport
    ) throws(Problem) -> DatabaseCopy {
        do throws(DatabaseCopy.Refusal) {
            return try DatabaseCopy.make(
                of: path,
                in: folder.path,
                limit: limit,
                isInUse: !report.processes.isEmpty
            )
        } catch { throw problem(error, limit: limit) }
    }

    private static func problem(_ refusal: DatabaseCopy.Refusal, limit: UInt64) -> Problem {
        switch refusal {
        case .tooLarge(let bytes):
            Problem(
                reason: "a copy would use \(HumanUnits.bytes(bytes)), and the limit is "
                    + HumanUnits.bytes(limit),
                remedy: "Raise the limit with --copy-limit \(bytes / (1 << 30) + 1)GiB."
            )
        case .noRoom(let bytes, let free):
            Problem(
                reason: "a copy would use \(HumanUnits.bytes(bytes)), and the temporary folder "
                    + "has only \(HumanUnits.bytes(free)) of free space",
                remedy: "Set TMPDIR to a folder with more free space."
            )
        case .changing(let reason):
            Problem(
                reason: reason,
                remedy: "Try again when fewer transactions are writing to the database.",
                isTransient: true
            )
        case .severalDatabases:
            Problem(
                reason: "its hot journal belongs to a transaction on several databases, which "
                    + "cannot be rolled back in a copy of only one database"
            )
        case .failed(let reason): Problem(reason: reason)
        case .stopped: Problem(reason: "the copy was interrupted")
        }
    }
}
#endif
