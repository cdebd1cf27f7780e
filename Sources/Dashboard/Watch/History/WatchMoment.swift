import Findings
import SQLiteWatch

/// The chart values of a report.
struct WatchMoment: Timed, Equatable {
    /// The time since the first report, in seconds.
    var time: Double
    /// The length of the report's interval, in seconds.
    var seconds: Double
    /// The number of samples of write locks in the interval.
    var samples: Int
    /// The number of samples of read locks in the interval.
    var listSamples: Int
    /// The CPU time of this program and its helper processes, as a share of one CPU.
    var cpuShare: Double
    /// The size of the log file, in bytes, or NaN if there is no log.
    var logBytes: Double
    /// The number of frames in use, or NaN if unknown.
    var frames: Double
    /// The number of pinned frames, or NaN if unknown.
    var pinnedFrames: Double
    /// The number of commits in the interval.
    ///
    /// For a rollback journal, the number of transactions.
    var commits: Double
    /// The number of frames written in the interval.
    var framesWritten: Double
    /// The number of observed checkpoints in the interval.
    var checkpoints: Double
    /// The number of log resets in the interval.
    var resets: Double

    init(_ report: WatchReport, time: Double) {
        self.time = time
        seconds = report.window.seconds.isFinite ? max(0, report.window.seconds) : 0
        samples = report.window.samples
        listSamples = report.window.listSamples
        cpuShare = report.window.processorShare
        let wal = report.wal
        logBytes = wal.map { Double($0.bytes) } ?? .nan
        frames = wal?.frames.map { Double($0) } ?? .nan
        pinnedFrames = wal?.pinned.map { Double($0) } ?? .nan
        commits = Double(wal?.commits ?? report.rollback?.transactions ?? 0)
        framesWritten = Double(wal?.framesWritten ?? 0)
        checkpoints = Double(wal?.checkpoints ?? 0)
        resets = Double(wal?.resets ?? 0)
    }
}
