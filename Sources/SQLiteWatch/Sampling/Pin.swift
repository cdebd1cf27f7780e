import Findings

/// A reader with an old snapshot, which pins frames in the log.
struct Pin {
    var process: Int32
    var mark: Int
    var frame: UInt64
    var frames: UInt64
    var since: UInt64

    /// Returns the readers that pin frames in the log, sorted by number of frames in descending
    /// order.
    static func pins(_ observation: Observation, _ holds: HoldTracker) -> [Pin] {
        guard let index = observation.files.index else { return [] }
        return holds.holds.flatMap { process, locks in
            locks.compactMap { lock, hold -> Pin? in
                // In a single sample, the mark may have moved after the lock query.
                guard lock.kind == .reader, let mark = lock.mark, let since = hold.behindSince,
                    since < observation.now, let frames = index.pinnedFrames(mark: mark), frames > 0
                else { return nil }
                return Pin(
                    process: process,
                    mark: mark,
                    frame: mark == 0 ? 0 : UInt64(index.marks[mark] ?? 0),
                    frames: UInt64(frames),
                    since: since
                )
            }
        }.sorted { ($0.frames, $1.since, $1.process) > ($1.frames, $0.since, $0.process) }
    }
}
