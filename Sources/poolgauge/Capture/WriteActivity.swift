import Findings
import Foundation
import SQLiteWatch

/// The write activity of a load, derived from locks and from the wal-index or the change counter.
struct WriteActivity: Equatable {
    /// The number of commits that changed a page.
    var commits: UInt64
    /// The number of frames written by these commits, or `nil` without a write-ahead log.
    var frames: UInt64?
    /// The share of time during which a process held the write lock, from 0 through 1.
    var writerShare: Double

    /// Extracts the activity from a report, or returns `nil` if the report does not count commits.
    init?(_ report: WatchReport) {
        guard let commits = report.wal?.commits ?? report.rollback?.transactions else { return nil }
        self.commits = commits
        frames = report.wal?.framesWritten
        writerShare = min(1, report.processes.reduce(0) { $0 + $1.share.writer.value })
    }

    /// The mean number of frames per commit, or `nil` without commits or a write-ahead log.
    var framesPerCommit: Double? {
        guard let frames, commits > 0 else { return nil }
        return Double(frames) / Double(commits)
    }
}

/// A separate process that watches a run's database.
///
/// A process that uses a database through SQLite must not open and close the database's files
/// separately, because closing a file releases SQLite's locks.
///
/// `@unchecked Sendable` is safe because the run's thread creates the watch, and the caller uses
/// the watch only after the run.
final class ReplayWatch: @unchecked Sendable {
    private let process = Process()
    private let output = Pipe()

    /// Starts watching, or returns `nil` if the process cannot be started.
    init?(path: String, for duration: Duration) {
        let command = ClientProcess.command(TopSubcommand.configuration.commandName ?? "top")
        process.executableURL = URL(fileURLWithPath: command[0])
        let milliseconds = Int(duration / .milliseconds(1))
        process.arguments =
            Array(command.dropFirst()) + [path, "--for", "\(milliseconds)ms", "--format", "json"]
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        do { try process.run() } catch { return nil }
    }

    /// Waits for the process to end and returns the measured write activity.
    ///
    /// - Parameter isEarly: Whether to end the process immediately, because the run ended early.
    /// - Returns: The write activity, or `nil` if the process failed.
    func finish(isEarly: Bool) -> WriteActivity? {
        if isEarly { process.terminate() }
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard let report = try? JSONDecoder().decode(WatchReport.self, from: data) else {
            return nil
        }
        return WriteActivity(report)
    }
}
