import SQLiteWatch

/// The numbers of one report that charts show.
struct WatchMoment: Timed, Equatable {
    /// Seconds since the first report.
    var time: Double
    /// The length of the report's interval, in seconds.
    var seconds: Double
    /// How often the locks to write were read in it.
    var samples: Int
    /// How often the locks of readers were read in it.
    var listSamples: Int
    /// The processor time of this program and its helpers, as a share of one core.
    var cost: Double
    /// The size of the log's file, in bytes; NaN where there is none.
    var logBytes: Double
    /// The frames of the log that are in use; NaN where that is not known.
    var frames: Double
    /// The frames that readers keep in the log; NaN where that is not known.
    var pinned: Double
    /// The commits of the interval, or the transactions of a rollback journal.
    var commits: Double
    /// The frames written in the interval.
    var framesWritten: Double
    /// The checkpoints seen in the interval.
    var checkpoints: Double
    /// How often the log started over in the interval.
    var resets: Double

    /// Extracts the numbers of a report.
    init(_ report: WatchReport, time: Double) {
        self.time = time
        seconds = report.window.seconds.isFinite ? max(0, report.window.seconds) : 0
        samples = report.window.samples
        listSamples = report.window.listSamples
        cost = report.window.processorShare
        let wal = report.wal
        logBytes = wal.map { Double($0.bytes) } ?? .nan
        frames = wal?.frames.map { Double($0) } ?? .nan
        pinned = wal?.pinned.map { Double($0) } ?? .nan
        commits = Double(wal?.commits ?? report.rollback?.transactions ?? 0)
        framesWritten = Double(wal?.framesWritten ?? 0)
        checkpoints = Double(wal?.checkpoints ?? 0)
        resets = Double(wal?.resets ?? 0)
    }
}
