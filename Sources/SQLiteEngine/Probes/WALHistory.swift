/// The history of a log that is required to determine why the log does not shrink.
///
/// It is a value, so that its rules can be tested in isolation. Times are nanoseconds of the
/// monotonic clock.
struct WALHistory {
    /// The number of frames from which a log should have been checkpointed: SQLite's default
    /// threshold.
    static let standardThreshold: UInt32 = 1_000

    /// What has changed since the previous observation.
    enum Change: Equatable {
        /// No relevant change.
        case none
        /// Frames were copied to the database file.
        case checkpoint
        /// The log was restarted.
        case restart
    }

    /// The number of frames from which a commit checkpoints the log.
    var threshold = Self.standardThreshold
    private(set) var log = WALState()
    /// The largest number of frames seen in the file; frames beyond it belong to no commit.
    private(set) var highWater: UInt32 = 0
    /// Whether the whole log was in the database file at some time, so that the next write should
    /// have restarted it.
    private(set) var wasComplete = false
    /// Since when readers have prevented a restart of the log.
    private(set) var overlapSince: UInt64?
    /// Since when checkpoints have copied some frames and left others: the readers of that time
    /// have moved on to a later state since, or others have come.
    private var leftoverSince: UInt64?
    /// Since when commits have left the log above the threshold although no reader prevented
    /// checkpoints.
    private(set) var neglectSince: UInt64?
    /// The last access that wrote.
    private(set) var lastWriter: AccessSite?
    /// The outside connection that was last found to pin the log, and since when.
    private(set) var stranger: (name: String, since: UInt64)?

    /// Records the state of the log.
    @discardableResult
    mutating func note(_ log: WALState, at now: UInt64) -> Change {
        defer { self.log = log }
        highWater = max(highWater, log.frames)
        guard log.generation == self.log.generation, log.frames >= self.log.frames else {
            wasComplete = log.frames > 0 && log.checkpointed == log.frames
            overlapSince = nil
            leftoverSince = nil
            neglectSince = nil
            return self.log == WALState() ? .none : .restart
        }
        if wasComplete, log.frames > self.log.frames, overlapSince == nil { overlapSince = now }
        if log.checkpointed == log.frames, log.frames > 0 { wasComplete = true }
        if log.frames - log.checkpointed < threshold { neglectSince = nil }
        guard log.checkpointed > self.log.checkpointed else { return .none }
        recordLeftover(log, at: now)
        return .checkpoint
    }

    /// Records the frames that a checkpoint has left.
    ///
    /// Under frequent commits, a log is never complete: new frames arrive before the last ones are
    /// copied. A checkpoint that leaves frames has encountered a reader. If a second one copies
    /// more frames and leaves some too, it has encountered another reader, or the same one with a
    /// newer state.
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

    /// Records the end of a write, whose log state was recorded before.
    ///
    /// - Parameters:
    ///   - site: The access that wrote.
    ///   - hasReaders: Whether a connection of this database reads and may pin the log.
    ///   - now: The monotonic clock.
    mutating func didWrite(_ site: AccessSite, hasReaders: Bool, at now: UInt64) {
        lastWriter = site
        guard log.frames - log.checkpointed >= threshold else { return }
        if hasReaders {
            neglectSince = nil
        } else if neglectSince == nil {
            neglectSince = now
        }
    }

    /// Limits the high-water mark after the file was truncated to a number of frames.
    mutating func limitHighWater(to frames: UInt32) {
        highWater = max(log.frames, min(highWater, frames))
    }

    /// Records the outside connection that pins the log.
    ///
    /// - Returns: Since when this connection has been found.
    mutating func noteStranger(_ name: String?, at now: UInt64) -> UInt64 {
        guard let name else {
            stranger = nil
            return now
        }
        if let stranger, stranger.name == name { return stranger.since }
        stranger = (name, now)
        return now
    }
}
