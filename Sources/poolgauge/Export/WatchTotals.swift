import Findings
import SQLiteWatch
import Text

/// The totals of a watched database since the start of the command.
///
/// A report contains the counts of its interval.
struct WatchTotals: Equatable {
    /// A kind of lock, and the program that held it.
    struct Holder: Hashable {
        var lock: String
        var program: String
    }

    private(set) var commits: UInt64 = 0
    private(set) var framesWritten: UInt64 = 0
    private(set) var checkpoints: UInt64 = 0
    private(set) var framesCheckpointed: UInt64 = 0
    private(set) var resets: UInt64 = 0
    /// The estimated time for which programs held locks, in seconds.
    private(set) var lockSeconds: [Holder: Double] = [:]

    /// The maximum number of programs, which limits the number of time series.
    ///
    /// Additional programs count as ``others``.
    static let programLimit = 64
    static let others = "other"

    private var programs: Set<String> = []

    /// Adds the counts of an interval.
    mutating func add(_ report: WatchReport) {
        if let wal = report.wal {
            commits &+= wal.commits ?? 0
            framesWritten &+= wal.framesWritten ?? 0
            checkpoints &+= wal.checkpoints ?? 0
            framesCheckpointed &+= wal.framesBackfilled ?? 0
            resets &+= wal.resets ?? 0
        }
        commits &+= report.rollback?.transactions ?? 0
        for process in report.processes {
            let shares = [
                ("write", process.share.writer), ("read", process.share.reader),
                ("checkpoint", process.share.checkpoint),
            ]
            for (lock, share) in shares where share.value > 0 {
                let holder = Holder(
                    lock: lock,
                    program: program(Escaping.terminal(process.name))
                )
                lockSeconds[holder, default: 0] += share.value * report.window.seconds
            }
        }
    }

    private mutating func program(_ name: String) -> String {
        if programs.contains(name) { return name }
        guard programs.count < Self.programLimit else { return Self.others }
        programs.insert(name)
        return name
    }
}
