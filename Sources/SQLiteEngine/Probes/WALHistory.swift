/// The history of a write-ahead log, from which a status determines why the log does not shrink.
///
/// Times are in nanoseconds on the monotonic clock.
struct WALHistory {
    /// SQLite's default checkpoint threshold, in frames.
    static let standardThreshold: UInt32 = 1_000

    enum Change: Equatable {
        case none
        case checkpoint
        case restart
    }

    /// The number of frames at which a commit checkpoints the log.
    var threshold = Self.standardThreshold
    private(set) var log = WALState()
    /// The largest number of frames observed in the log.
    ///
    /// Later frames in the file belong to no commit.
    private(set) var highWater: UInt32 = 0
    /// Whether checkpoints have copied the whole log to the database file at some point.
    ///
    /// If so, the next write should have restarted the log.
    private(set) var wasComplete = false
    /// The time at which readers started to prevent a restart, or `nil` if no reader does.
    private(set) var overlapSince: UInt64?
    /// The time at which checkpoints started to leave frames uncopied, or `nil` if they copy all
    /// frames.
    ///
    /// If a second checkpoint also leaves frames uncopied, readers have overlapped since this time.
    private var leftoverSince: UInt64?
    /// The time at which commits started to leave the log above the threshold although no reader
    /// prevented checkpoints, or `nil` if they do not.
    private(set) var neglectedSince: UInt64?
    private(set) var lastWriter: AccessSite?
    /// The number of checkpoints by mode; see ``WALStatus/checkpoints``.
    private(set) var checkpoints: [String: UInt64] = [:]
    /// The outside connection that currently pins the log, and the time of its first observation.
    private(set) var outsideConnection: (name: String, since: UInt64)?

    @discardableResult
    mutating func record(_ log: WALState, at now: UInt64) -> Change {
        defer { self.log = log }
        highWater = max(highWater, log.frames)
        guard log.generation == self.log.generation, log.frames >= self.log.frames else {
            wasComplete = log.frames > 0 && log.checkpointed == log.frames
            overlapSince = nil
            leftoverSince = nil
            neglectedSince = nil
            return self.log == WALState() ? .none : .restart
        }
        if wasComplete, log.frames > self.log.frames, overlapSince == nil { overlapSince = now }
        if log.checkpointed == log.frames, log.frames > 0 { wasComplete = true }
        if log.frames - log.checkpointed < threshold { neglectedSince = nil }
        guard log.checkpointed > self.log.checkpointed else { return .none }
        recordLeftover(log, at: now)
        return .checkpoint
    }

    /// Counts a checkpoint.
    mutating func countCheckpoint(mode: String) { checkpoints[mode, default: 0] += 1 }

    /// Records the frames that a checkpoint did not copy.
    ///
    /// Frequent commits add frames before a checkpoint copies the last frames, so checkpoints never
    /// copy the complete log. A checkpoint that leaves frames uncopied has encountered a reader. If
    /// a second checkpoint copies more frames but also leaves some, it has encountered another
    /// reader, or the same reader with a newer state.
    private mutating func recordLeftover(_ log: WALState, at now: UInt64) {
        guard log.checkpointed >= threshold, log.checkpointed < log.frames else {
            leftoverSince = nil
            return
        }
        if let since = leftoverSince {
            overlapSince = overlapSince ?? since
        } else {
            leftoverSince = now
        }
    }

    /// Records the end of a write after ``record(_:at:)`` has recorded the log's state.
    ///
    /// - Parameters:
    ///   - site: The access that wrote.
    ///   - hasReaders: Whether a connection of this database is reading and may pin the log.
    ///   - now: The time on the monotonic clock.
    mutating func didWrite(
        _ site: AccessSite,
        hasReaders: @autoclosure () -> Bool,
        at now: UInt64
    ) {
        lastWriter = site
        guard log.frames - log.checkpointed >= threshold else { return }
        if hasReaders() {
            neglectedSince = nil
        } else if neglectedSince == nil {
            neglectedSince = now
        }
    }

    /// Limits the high-water mark after the file was truncated.
    mutating func limitHighWater(to frames: UInt32) {
        highWater = max(log.frames, min(highWater, frames))
    }

    /// Records the outside connection that pins the log.
    ///
    /// - Returns: The time of the connection's first observation.
    mutating func recordOutsideConnection(_ name: String?, at now: UInt64) -> UInt64 {
        guard let name else {
            outsideConnection = nil
            return now
        }
        if let outsideConnection, outsideConnection.name == name { return outsideConnection.since }
        outsideConnection = (name, now)
        return now
    }
}
