import Foundation
import SQLiteWatch

/// What a load writes, as seen from outside: by the wal-index or the change counter, and the locks.
struct WrittenLoad: Equatable {
    /// The commits that changed a page.
    var commits: UInt64
    /// The frames of the log that they wrote; nil without a write-ahead log.
    var frames: UInt64?
    /// The share of time, in 0…1, in which a process held the lock to write.
    var writerShare: Double

    /// What a report shows; nil where it shows no commits.
    init?(_ report: WatchReport) {
        guard let commits = report.wal?.commits ?? report.rollback?.transactions else { return nil }
        self.commits = commits
        frames = report.wal?.framesWritten
        writerShare = min(1, report.processes.reduce(0) { $0 + $1.share.writer.value })
    }

    /// The frames of one commit; nil without commits.
    var framesPerCommit: Double? {
        guard let frames, commits > 0 else { return nil }
        return Double(frames) / Double(commits)
    }
}

/// Watches the database of a run from a separate process: a process that uses a database through
/// SQLite must not open and close its files.
///
/// Unchecked: the thread of the run creates it, and the caller uses it once the run has ended.
final class ReplayWatch: @unchecked Sendable {
    private let process = Process()
    private let output = Pipe()

    /// Starts to watch; nil where the process cannot be started.
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

    /// What it saw, once its time is over; nil where it failed.
    ///
    /// - Parameter isEarly: Whether the run ended before its time, and the watch ends with it.
    /// - Returns: What was written.
    func finish(isEarly: Bool) -> WrittenLoad? {
        if isEarly { process.terminate() }
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard let report = try? JSONDecoder().decode(WatchReport.self, from: data) else {
            return nil
        }
        return WrittenLoad(report)
    }
}
