import Findings
import SQLiteWatch

/// A process at the displayed moment, and its shares over the last few seconds.
struct WatchRow: Sendable {
    /// The process at the displayed moment, or `nil` if it no longer used the database.
    var process: WatchedProcess?
    var pid: Int32
    /// The escaped name of the program.
    var name: String
    /// The oldest pin of the process, if any.
    var pin: WatchedPin?
    var state: WatchLaneState
    /// The shares of ``WatchHistory/shareSeconds`` during which the process held locks.
    var share = WatchedShare()
    /// The CPU time over the last two seconds, as a share of one CPU, or `nil` if unknown.
    var cpuShare: Double?

    var label: String { WatchLabels.process(name, pid) }

    /// The locks at the displayed moment.
    var locks: [WatchedLock] { process?.locks ?? [] }

    /// The lock that pins the log, or the lock that has been held longest.
    var mainLock: WatchedLock? {
        if let pin, let lock = locks.first(where: { $0.mark == pin.mark && $0.kind == .reader }) {
            return lock
        }
        return locks.max { $0.seconds < $1.seconds }
    }

    /// The kinds of locks, such as `writer, reader`.
    var lockKinds: String {
        var kinds: [LockKind] = []
        for lock in locks where !kinds.contains(lock.kind) { kinds.append(lock.kind) }
        return kinds.map(\.rawValue).joined(separator: ", ")
    }

    /// The extent to which the process blocks other processes, in coarse steps.
    var weight: Int {
        let share = 2 * max(share.writer.value, share.checkpoint.value) + share.reader.value
        // A recording can contain arbitrary numbers.
        let steps = share.isFinite ? Int((min(max(share, 0), 3) * 2).rounded()) : 0
        return (pin?.isLong == true ? 4 : 0) + steps
    }
}

extension WatchedPin {
    /// Whether the pin is older than a typical short read.
    var isLong: Bool { seconds >= 1 }
}
