import Telemetry

/// An analysis of what prevents a write-ahead log from shrinking.
///
/// A checkpoint copies frames only up to the oldest read mark in use. It copies no frames while a
/// reader uses only the database file (mark 0). A writer restarts the log only when all frames have
/// been copied and no reader uses the log (https://sqlite.org/wal.html, "Avoiding Excessively Large
/// WAL Files"; `walCheckpoint` and `walRestartLog` in `wal.c`).
struct WALDiagnosis {
    /// A connection of this database that may pin the log.
    struct Holder {
        var origin: AccessOrigin
        /// The time since the holder acquired its state, in nanoseconds.
        var age: UInt64
        /// The end of the log at or before the acquisition of the state, or `nil` if unknown.
        var before: WALPosition?
        /// The end of the log at or after the acquisition of the state, or `nil` if unknown.
        var after: WALPosition?
    }

    /// A write transaction of this database.
    struct Writer {
        var origin: AccessOrigin
        /// The time since the writer acquired the connection, in nanoseconds.
        var age: UInt64
    }

    var log: WALState
    var fileFrames: UInt32
    var history: WALHistory
    var holders: [Holder]
    var writer: Writer?

    /// Returns the cause that prevents the log from shrinking.
    ///
    /// - Parameters:
    ///   - now: The time on the monotonic clock.
    ///   - outsideConnection: A function that searches for a connection outside this database, and
    ///     returns the connection's name and the time of the first observation. It runs only if no
    ///     connection of this database is the cause.
    /// - Returns: The cause, or `nil` if there is none.
    func pin(
        at now: UInt64,
        outsideConnection: (PreventableOperation) -> (name: String, since: UInt64)?
    ) -> WALPin? {
        let uncopied = log.frames - min(log.frames, log.checkpointed)
        let uncommitted = fileFrames - min(fileFrames, max(history.highWater, log.frames))
        func outsideCause(_ operation: PreventableOperation) -> OutsideCause {
            guard let (name, since) = outsideConnection(operation) else { return .none }
            let age = now > since ? now - since : 0
            // Readers of this database may start and end between the reads of their states and of
            // the locks. Only a lock that persists belongs to another connection.
            if name == WALLocks.ownProcess, age < EngineTimings.ownProcessPinAge {
                return .uncertain
            }
            return .found(
                WALPin(by: AccessOrigin(name: name), cause: .otherProcess, ageNanoseconds: age)
            )
        }
        if uncommitted >= history.threshold, uncommitted >= uncopied {
            if let writer {
                return WALPin(
                    by: writer.origin,
                    cause: .largeTransaction,
                    ageNanoseconds: writer.age
                )
            }
            switch outsideCause(.writer) {
            case .found(let pin): return pin
            case .uncertain: return nil
            case .none: break
            }
        }
        if uncopied > 0, let reader = oldReader() {
            return WALPin(by: reader.origin, cause: .oldReader, ageNanoseconds: reader.age)
        }
        if uncopied >= history.threshold {
            // A checkpoint may have run and stopped at a young reader. Unless the reader's position
            // proves it, the cause is unknown until the reader is old or has ended.
            if let reader = holders.first(where: hasStoppedCheckpoint) {
                return WALPin(by: reader.origin, cause: .oldReader, ageNanoseconds: reader.age)
            }
            if holders.contains(where: { $0.after == nil || isBehind($0.before) }) { return nil }
            switch outsideCause(.checkpoint) {
            case .found(let pin): return pin
            case .uncertain: return nil
            case .none: break
            }
            if let since = history.neglectedSince {
                let writer = history.lastWriter.flatMap(\.origin)
                return WALPin(
                    by: writer ?? AccessOrigin(name: "an unknown access"),
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
            if case .found(let pin) = outsideCause(.restart) { return pin }
        }
        return nil
    }

    /// The result of a search for a connection outside this database.
    private enum OutsideCause {
        case none
        case uncertain
        case found(WALPin)
    }

    /// The operation that an outside connection may prevent.
    enum PreventableOperation {
        case writer
        case checkpoint
        case restart
    }

    /// Returns the connection that has held an outdated state for the longest time.
    ///
    /// - Returns: The connection, or `nil` if no connection has held an outdated state for at least
    ///   ``EngineTimings/pinAge``.
    private func oldReader() -> Holder? {
        let old = holders.filter { $0.age >= EngineTimings.pinAge }
        let certain = old.filter { isBehind($0.after) }
        let possible = old.filter { $0.after == nil || isBehind($0.before) }
        return (certain.isEmpty ? possible : certain).max { $0.age < $1.age }
    }

    /// Returns whether a checkpoint has copied the log up to the exact position of a reader that
    /// needs the frames after it.
    private func hasStoppedCheckpoint(at holder: Holder) -> Bool {
        guard let before = holder.before, let after = holder.after else { return false }
        let position = after.frames(in: log)
        return position == before.frames(in: log) && position > 0 && position < log.frames
            && position == log.checkpointed
    }

    private func isBehind(_ position: WALPosition?) -> Bool {
        guard let position else { return false }
        return position.frames(in: log) < log.frames
    }

    /// Returns whether a connection of this database explains why a mark is locked.
    func explains(mark: Int) -> Bool {
        holders.contains { holder in
            guard let before = holder.before, let after = holder.after else { return true }
            let range = before.frames(in: log)...max(before.frames(in: log), after.frames(in: log))
            // A reader that uses only the database file started when the whole log was copied, so
            // the reader's position is also known.
            return mark == 0 || range.contains(log.marks[mark])
        }
    }
}
