import SQLiteWatch

/// A process at the moment that is shown, with its shares over the last seconds.
struct WatchRow: Sendable {
    /// The process at that moment; nil when it no longer used the database.
    var process: WatchedProcess?
    /// The number of the process.
    var pid: Int32
    /// The name of its program, escaped.
    var name: String
    /// The oldest state that it keeps in the log; nil for none.
    var pin: WatchedPin?
    /// What it did in the last interval.
    var state: WatchLaneState
    /// The shares for which it held locks, over ``WatchHistory/shareSeconds``.
    var share = WatchedShare()
    /// Its processor time over the last two seconds, as a share of one core; nil where not known.
    var processor: Double?

    /// What identifies it in lists.
    var label: String { WatchWords.process(name, pid) }

    /// The locks that it held at that moment.
    var locks: [WatchedLock] { process?.locks ?? [] }

    /// The lock that has been held longest, or, where one pins the log, that one.
    var mainLock: WatchedLock? {
        if let pin, let lock = locks.first(where: { $0.mark == pin.mark && $0.kind == .reader }) {
            return lock
        }
        return locks.max { $0.seconds < $1.seconds }
    }

    /// The kinds of its locks: `writer, reader`.
    var kinds: String {
        var seen: [LockKind] = []
        for lock in locks where !seen.contains(lock.kind) { seen.append(lock.kind) }
        return seen.map(\.rawValue).joined(separator: ", ")
    }

    /// How much it keeps others waiting, in steps.
    var weight: Int {
        let share = 2 * max(share.writer.value, share.checkpoint.value) + share.reader.value
        return (pin?.isLong == true ? 4 : 0) + Int((share * 2).rounded())
    }
}

extension WatchedPin {
    /// Whether it has lasted so long that it is not one of the reads that come and go.
    var isLong: Bool { seconds >= 1 }
}
