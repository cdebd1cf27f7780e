/// A type that counts commits, frames, checkpoints, and resets from consecutive wal-index headers.
struct LogCounter: Equatable, Sendable {
    private(set) var commits: UInt64 = 0
    /// The number of frames written, or a lower bound if the log was reset.
    private(set) var frames: UInt64 = 0
    /// A lower bound on the number of checkpoints that copied frames.
    private(set) var checkpoints: UInt64 = 0
    private(set) var framesBackfilled: UInt64 = 0
    private(set) var resets: UInt64 = 0

    private var last: WALIndexHeader?
    private var identity: FileIdentity?

    /// The largest plausible number of resets between two samples.
    ///
    /// A larger difference between the salts indicates a new log.
    private static let plausibleResets: UInt32 = 100_000

    mutating func update(_ header: WALIndexHeader, identity: FileIdentity?) {
        defer {
            last = header
            self.identity = identity
        }
        guard let last else { return }
        let difference = header.salt1 &- last.salt1
        // Closing the last connection removes the wal-index, and recovery rebuilds it. The new
        // wal-index counts only commits since its creation.
        let isRebuilt =
            identity != self.identity || header.change < last.change
            || difference > Self.plausibleResets
        if isRebuilt {
            commits += UInt64(header.change)
            if header.change > 0 { frames += UInt64(header.frames) }
            return
        }
        commits += UInt64(header.change - last.change)
        if difference > 0 {
            resets += UInt64(difference)
            checkpoints += UInt64(difference)
            framesBackfilled += UInt64(last.frames - last.backfilled)
            frames += UInt64(header.frames)
            if header.backfilled > 0 {
                checkpoints += 1
                framesBackfilled += UInt64(header.backfilled)
            }
            return
        }
        if header.frames > last.frames { frames += UInt64(header.frames - last.frames) }
        if header.backfilled > last.backfilled {
            checkpoints += 1
            framesBackfilled += UInt64(header.backfilled - last.backfilled)
        }
    }

    func since(_ baseline: LogCounter) -> LogCounter {
        var counts = self
        counts.commits -= min(counts.commits, baseline.commits)
        counts.frames -= min(counts.frames, baseline.frames)
        counts.checkpoints -= min(counts.checkpoints, baseline.checkpoints)
        counts.framesBackfilled -= min(counts.framesBackfilled, baseline.framesBackfilled)
        counts.resets -= min(counts.resets, baseline.resets)
        return counts
    }
}

/// A type that counts rollback-journal transactions from the database's change counter.
struct ChangeCounter: Equatable, Sendable {
    private(set) var transactions: UInt64 = 0
    private var last: UInt32?
    private var identity: FileIdentity?

    /// Adds the change counter from a sample.
    ///
    /// A new file establishes a new baseline.
    mutating func update(_ counter: UInt32, identity: FileIdentity?) {
        if let last, identity == self.identity {
            let difference = counter &- last
            // A restored copy of the file has an older counter.
            if difference < 1 << 31 { transactions += UInt64(difference) }
        }
        last = counter
        self.identity = identity
    }
}
