/// What has to be remembered of a log to say why it does not shrink.
///
/// It is a value, so that its rules can be tested alone. Times are nanoseconds of the monotonic
/// clock.
struct WALHistory {
    /// From how many frames on a log should have been checkpointed: SQLite's own threshold.
    static let standardThreshold: UInt32 = 1_000

    /// What changed since the last look.
    enum Change: Equatable {
        /// Nothing that matters.
        case none
        /// Frames were copied to the database file.
        case checkpoint
        /// The log begins anew.
        case restart
    }

    /// From how many frames on a commit checkpoints the log.
    var threshold = Self.standardThreshold
    private(set) var log = WALState()
    /// The most frames that the file was seen to have: what is beyond belongs to no commit.
    private(set) var highWater: UInt32 = 0
    /// Whether the whole log, as it was then, is in the database file: the next write should have
    /// begun it anew.
    private(set) var wasComplete = false
    /// Since when readers have kept the log from beginning anew.
    private(set) var overlapSince: UInt64?
    /// Since when checkpoints have copied something and left something: who read then has gone on
    /// to a later state since, or another one has come.
    private var leftoverSince: UInt64?
    /// Since when commits have left the log above the threshold, with no reader in the way.
    private(set) var neglectSince: UInt64?
    /// Who wrote last.
    private(set) var lastWriter: AccessSite?
    /// Who was seen to be in the way from outside, and since when.
    private(set) var stranger: (name: String, since: UInt64)?

    /// Looks at the log.
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
        noteLeftover(log, at: now)
        return .checkpoint
    }

    /// Notes what a checkpoint left.
    ///
    /// Under dense commits a log is never complete: the next frames are there before the last ones
    /// are copied. One checkpoint that leaves something has met a reader; when a second one gets
    /// further and leaves something too, it has met another, or the same one with a newer state.
    private mutating func noteLeftover(_ log: WALState, at now: UInt64) {
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

    /// A write has ended; it was looked at before.
    ///
    /// - Parameters:
    ///   - site: Who wrote.
    ///   - hasReaders: Whether somebody of ours reads, who may be in the way.
    ///   - now: When.
    mutating func didWrite(_ site: AccessSite, hasReaders: Bool, at now: UInt64) {
        lastWriter = site
        guard log.frames - log.checkpointed >= threshold else { return }
        if hasReaders {
            neglectSince = nil
        } else if neglectSince == nil {
            neglectSince = now
        }
    }

    /// The file was truncated: it has only so many frames.
    mutating func limitHighWater(to frames: UInt32) {
        highWater = max(log.frames, min(highWater, frames))
    }

    /// Somebody outside is seen to be in the way.
    ///
    /// - Returns: Since when, as far as looks tell.
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
