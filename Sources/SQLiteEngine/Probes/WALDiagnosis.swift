import Telemetry

/// Says what keeps a write-ahead log from shrinking.
///
/// A checkpoint copies frames only up to the oldest read mark in use, and none while somebody
/// reads the database file alone (mark 0). A writer begins the log anew only when all of it was
/// copied and nobody reads from it (https://sqlite.org/wal.html, "Avoiding Excessively Large WAL
/// Files"; `walCheckpoint` and `walRestartLog` in `wal.c`).
struct WALDiagnosis {
    /// A connection of ours that may be in the way.
    struct Holder {
        var origin: AccessOrigin
        /// How long it has held its state, in nanoseconds.
        var age: UInt64
        /// Where the log stood when the state was taken, or before; nil when not known.
        var before: WALPosition?
        /// Where it stood when the state was taken, or after; nil when not known.
        var after: WALPosition?
    }

    /// A write transaction of ours.
    struct Writer {
        var origin: AccessOrigin
        /// How long it has held the connection, in nanoseconds.
        var age: UInt64
    }

    var log: WALState
    /// The frames for which the file has room.
    var fileFrames: UInt32
    var history: WALHistory
    /// Those who read.
    var holders: [Holder]
    var writer: Writer?

    /// What keeps the log from shrinking.
    ///
    /// - Parameters:
    ///   - now: The monotonic clock.
    ///   - stranger: Looks for somebody outside; asked only when nobody of ours explains it. Gives
    ///     a name, and since when it has been seen.
    /// - Returns: nil when nothing does.
    func pin(at now: UInt64, stranger: (Question) -> (name: String, since: UInt64)?) -> WALPin? {
        let open = log.frames - min(log.frames, log.checkpointed)
        let uncommitted = fileFrames - min(fileFrames, max(history.highWater, log.frames))
        func elsewhere(_ question: Question) -> Elsewhere {
            guard let (name, since) = stranger(question) else { return .nobody }
            let age = now > since ? now - since : 0
            // Our own readers come and go between the look at them and the look at the locks:
            // only what stays is somebody else.
            if name == WALLocks.ownProcess, age < EngineTimings.ownProcessPinAge { return .perhaps }
            return .somebody(
                WALPin(by: AccessOrigin(name: name), cause: .otherProcess, ageNanoseconds: age)
            )
        }
        if uncommitted >= history.threshold, uncommitted >= open {
            if let writer {
                return WALPin(
                    by: writer.origin,
                    cause: .largeTransaction,
                    ageNanoseconds: writer.age
                )
            }
            switch elsewhere(.writer) {
            case .somebody(let pin): return pin
            case .perhaps: return nil
            case .nobody: break
            }
        }
        if open > 0, let reader = oldReader() {
            return WALPin(by: reader.origin, cause: .oldReader, ageNanoseconds: reader.age)
        }
        if open >= history.threshold {
            switch elsewhere(.checkpoint) {
            case .somebody(let pin): return pin
            case .perhaps: return nil
            case .nobody: break
            }
            if let since = history.neglectSince {
                let writer = history.lastWriter.flatMap(\.origin)
                return WALPin(
                    by: writer ?? AccessOrigin(name: "nobody"),
                    cause: .noCheckpoint,
                    ageNanoseconds: now > since ? now - since : 0
                )
            }
        }
        if log.frames >= history.threshold, let since = history.overlapSince {
            if let reader = holders.max(by: { $0.age < $1.age }) {
                return WALPin(
                    by: reader.origin,
                    cause: .overlappingReaders,
                    ageNanoseconds: now > since ? now - since : 0
                )
            }
            if case .somebody(let pin) = elsewhere(.restart) { return pin }
        }
        return nil
    }

    /// Whether somebody outside is in the way.
    private enum Elsewhere {
        case nobody
        case perhaps
        case somebody(WALPin)
    }

    /// What somebody outside may be keeping from happening.
    enum Question {
        /// Another writer's commit.
        case writer
        /// A checkpoint.
        case checkpoint
        /// A new beginning of the log.
        case restart
    }

    /// Whoever has read a state before the last commit for long enough, the oldest first.
    private func oldReader() -> Holder? {
        let old = holders.filter { $0.age >= EngineTimings.pinAge }
        let certain = old.filter { isBehind($0.after) }
        let possible = old.filter { $0.after == nil || isBehind($0.before) }
        return (certain.isEmpty ? possible : certain).max { $0.age < $1.age }
    }

    private func isBehind(_ position: WALPosition?) -> Bool {
        guard let position else { return false }
        return position.frames(in: log) < log.frames
    }

    /// Whether one of ours explains that a mark is locked.
    func explains(mark: Int) -> Bool {
        holders.contains { holder in
            guard let before = holder.before, let after = holder.after else { return true }
            let range = before.frames(in: log)...max(before.frames(in: log), after.frames(in: log))
            // Who reads the file alone found all of the log copied: at a position, too.
            return mark == 0 || range.contains(log.marks[mark])
        }
    }
}
