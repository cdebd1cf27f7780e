import Findings

/// A log that records the periods in which a process blocked other processes or pinned the log.
///
/// A period is an episode if it lasts at least one second, or 0.1 seconds if another process is
/// probably waiting.
struct EpisodeLog: Sendable {
    /// An episode, with times on the monotonic clock.
    struct Entry: Equatable, Sendable {
        var kind: WatchEpisode.Kind
        var process: Int32
        var start: UInt64
        var end: UInt64?
        /// The time of the last sample that shows the episode.
        var lastSeen: UInt64
        var frames: UInt64?
        var waiters: Set<Int32> = []
        /// The time of the last sample in which another process waited.
        var lastWait: UInt64?
        /// Whether no sample shows that the process may have released the lock in between.
        var isProven = true
    }

    private struct Key: Hashable {
        var kind: WatchEpisode.Kind
        var process: Int32
    }

    /// The completed episodes, oldest first.
    private(set) var ended: [Entry] = []
    private var current: [Key: Entry] = [:]

    private static let capacity = 500
    /// The minimum duration of an episode, in nanoseconds.
    private static let minimumLength: UInt64 = 1_000_000_000
    /// The minimum duration if another process waits, in nanoseconds.
    private static let minimumLengthWithWaiters: UInt64 = 100_000_000
    /// The time between two waits that belong to the same episode, in nanoseconds.
    private static let waitGap: UInt64 = 500_000_000

    /// The episodes, most recent first.
    var entries: [Entry] {
        (current.values.filter(Self.isEpisode) + ended.reversed())
            .sorted { ($0.start, $1.process) > ($1.start, $0.process) }
    }

    mutating func update(_ observation: Observation, holds: HoldTracker) {
        var seen: Set<Key> = []
        var isProven: [Key: Bool] = [:]
        let waiters = observation.waiting.filter(\.value).map(\.key)
        for (process, locks) in holds.holds {
            for (lock, hold) in locks {
                guard let kind = Self.kind(of: lock, hold, in: observation) else { continue }
                let key = Key(kind: kind, process: process)
                // A process that ran and waited may have released the lock, unless others still waited
                // for it.
                let lastWait =
                    waiters.isEmpty ? current[key]?.lastWait : observation.now
                let start =
                    switch hold.restedSince {
                    case _ where kind == .pin: hold.behindSince ?? hold.since
                    case let rest? where lastWait.map({ rest > $0 + Self.waitGap }) ?? true: rest
                    default: hold.since
                    }
                isProven[key] = kind == .pin || hold.isContinuous || !hold.hasRun
                // A process with two readers has one episode, which starts with the earlier reader.
                if !seen.insert(key).inserted, let known = current[key], known.start <= start {
                    continue
                }
                extend(key, from: start, observation: observation, lock: lock, waiters: waiters)
            }
        }
        for (key, isProven) in isProven where !isProven { current[key]?.isProven = false }
        for (key, var entry) in current where !seen.contains(key) {
            current[key] = nil
            guard Self.isEpisode(entry) else { continue }
            entry.end = observation.now
            ended.append(entry)
        }
        if ended.count > Self.capacity { ended.removeFirst(ended.count - Self.capacity) }
    }

    private mutating func extend(
        _ key: Key,
        from start: UInt64,
        observation: Observation,
        lock: HeldLock,
        waiters: [Int32]
    ) {
        var entry =
            current[key]
            ?? Entry(kind: key.kind, process: key.process, start: start, lastSeen: observation.now)
        if entry.start < start {
            // The lock was released and acquired again since the last sample.
            if Self.isEpisode(entry) {
                entry.end = observation.now
                ended.append(entry)
            }
            entry = Entry(
                kind: key.kind,
                process: key.process,
                start: start,
                lastSeen: observation.now
            )
        }
        entry.lastSeen = observation.now
        // A reader of the log does not make writers wait.
        if key.kind != .pin, !waiters.isEmpty {
            entry.waiters.formUnion(waiters.filter { $0 != key.process })
            entry.lastWait = observation.now
        }
        if key.kind == .pin, let mark = lock.mark,
            let frames = observation.files.index?.pinnedFrames(mark: mark)
        {
            entry.frames = max(entry.frames ?? 0, UInt64(frames))
        }
        current[key] = entry
    }

    /// Ends all episodes.
    ///
    /// Call this method after the database is replaced or after a gap in the samples.
    mutating func endAll(at now: UInt64) {
        for var entry in current.values where Self.isEpisode(entry) {
            entry.end = now
            ended.append(entry)
        }
        current = [:]
    }

    private static func isEpisode(_ entry: Entry) -> Bool {
        entry.lastSeen - entry.start
            >= (entry.waiters.isEmpty ? minimumLength : minimumLengthWithWaiters)
    }

    private static func kind(
        of lock: HeldLock,
        _ hold: HoldTracker.Hold,
        in observation: Observation
    ) -> WatchEpisode.Kind? {
        switch lock.kind {
        case .writer: .writer
        case .checkpoint, .recovery: .checkpoint
        case .reserved, .pending, .exclusive: .exclusive
        case .reader: hold.behindSince == nil ? nil : .pin
        // With a rollback journal, a reader blocks a writer's commit.
        case .shared:
            observation.locks.values.contains {
                $0.process != 0 && $0.held.contains(HeldLock(kind: .pending))
            } ? .pin : nil
        }
    }
}
