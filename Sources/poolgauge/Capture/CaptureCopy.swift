import Foundation
import SQLiteWatch
import WorkloadEngine

#if !os(Linux)
import EngineTarget
#endif

/// A copy of the captured database, used to read the schema and to run the scenario.
struct CaptureCopy {
    let file: URL
    /// The journal mode of the captured database: `wal`, or `delete` for any rollback journal mode.
    let journal: String

    /// The time to keep retrying while other programs write to the database.
    private static let retryLimit = Duration.seconds(3)

    /// Copies a database that may be in use by other programs.
    ///
    /// - Parameters:
    ///   - path: The path of the database. On Linux, this process does not open the database with
    ///     SQLite.
    ///   - folder: An empty folder for the copy.
    /// - Throws: ``CommandFailure`` with the reason and a remedy if the copy fails.
    init(of path: String, in folder: URL) throws {
        #if os(Linux)
        let report = try PrivateCopy.watch(path)
        try DatabaseFileProblem.check(report, path: path)
        journal = try Self.journal(of: path)
        let clock = ContinuousClock()
        let end = clock.now + Self.retryLimit
        while true {
            do throws(PrivateCopy.Problem) {
                let copy = try PrivateCopy.make(of: path, in: folder, report)
                file = URL(fileURLWithPath: copy.path)
                return
            } catch {
                if error.isTransient, clock.now < end { continue }
                throw Self.failure(error, path: path)
            }
        }
        #else
        journal = try Self.journal(of: path)
        file = folder.appendingPathComponent("copy.sqlite")
        do {
            try EngineTargetFactory().copyDatabase(at: path, to: file.path) { _ in }
        } catch {
            throw CaptureDatabase.failure(error, of: path)
        }
        #endif
    }

    #if os(Linux)
    private static func failure(_ problem: PrivateCopy.Problem, path: String) -> CommandFailure {
        var text = "'\(path)' cannot be copied: \(problem.reason)."
        if let remedy = problem.remedy { text += " \(remedy)" }
        if problem.isTransient {
            text +=
                " Start the capture before the load, because the database is copied before tracing "
                + "starts."
        }
        return CommandFailure(text, status: ExitStatus.failed.rawValue)
    }
    #endif

    /// Reads the journal mode from the header (<https://sqlite.org/fileformat.html>, offset 18).
    ///
    /// Call this method before SQLite opens the file in this process. Otherwise, closing this
    /// method's file descriptor would release SQLite's locks.
    private static func journal(of path: String) throws -> String {
        let file: FileHandle
        do {
            file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        } catch {
            throw CommandFailure("\(path): the file cannot be read")
        }
        defer { try? file.close() }
        let header = Array(try file.read(upToCount: 20) ?? Data())
        guard header.isEmpty || header.starts(with: Array("SQLite format 3\0".utf8)) else {
            throw CommandFailure(
                "\(path) is not an SQLite database, or it is encrypted; specify the program's "
                    + "database"
            )
        }
        return header.count == 20 && header[18] == 2 ? "wal" : "delete"
    }
}
