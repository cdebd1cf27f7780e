import Telemetry

extension Diagnosis {
    /// A reader of an old state, with the frames that it keeps in the log.
    struct Pin {
        var process: Int32
        var mark: Int
        var frame: UInt64
        var frames: UInt64
        var since: UInt64
    }

    /// The readers that keep frames in the log, the one that keeps most first.
    var pins: [Pin] {
        guard let index = observation.files.index else { return [] }
        return holds.holds.flatMap { process, locks in
            locks.compactMap { lock, hold -> Pin? in
                // At one sample alone, the mark may have moved after the lock was read.
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

    /// From how many times the threshold on a log is long in itself, however little was written while
    /// it was watched.
    private static let longLog: UInt64 = 8

    private var frameLength: UInt64 {
        UInt64((observation.files.pageSize ?? 4_096) + WALHeader.frameHeaderLength)
    }

    private func size(_ frames: UInt64) -> String {
        "\(WatchUnits.count(frames, "frame")) (\(WatchUnits.bytes(frames * frameLength)))"
    }

    private func seconds(since: UInt64) -> Double {
        Double(observation.now - min(observation.now, since)) / 1e9
    }

    var pinned: WatchVerdict? {
        guard let pin = pins.first(where: { seconds(since: $0.since) >= Self.patience }) else {
            return nil
        }
        let age = WatchUnits.duration(seconds(since: pin.since))
        let what =
            pin.mark == 0
            ? "has read the database file without the log"
            : "has read the state of frame \(WatchUnits.count(pin.frame))"
        return WatchVerdict(
            .pinned,
            cause: .oldReader,
            pid: pin.process,
            "The log is pinned by \(name(pin.process)): it \(what) for at least \(age). No "
                + "checkpoint can copy the \(size(pin.frames)) after it.",
            remedy: "End its read transaction: reset or finalize its statements, or close its "
                + "cursors. Process \(pin.process) need not be restarted for that."
        )
    }

    var largeTransaction: WatchVerdict? {
        let frames = history.uncommittedFrames(observation.files)
        guard frames >= LogHistory.threshold,
            let (process, hold) = holds.holds.lazy.compactMap({ process, locks in
                locks[HeldLock(kind: .writer)].map { (process, $0) }
            }).first
        else { return nil }
        return WatchVerdict(
            .largeTransaction,
            cause: .largeTransaction,
            pid: process,
            "The log grows with one large transaction of \(name(process)), for at least "
                + "\(WatchUnits.duration(seconds(since: hold.since))): \(size(frames)) so far.",
            remedy: "Its frames stay until it has committed. Divide it into smaller transactions."
        )
    }

    var overlapping: WatchVerdict? {
        guard let since = history.overlapSince, let index = observation.files.index,
            seconds(since: since) >= Self.patience,
            history.framesInOverlap >= LogHistory.threshold
                || UInt64(index.frames) >= Self.longLog * LogHistory.threshold
        else { return nil }
        let names = readers.prefix(3).map(name).joined(separator: ", ")
        let more = readers.count > 3 ? " and \(readers.count - 3) more" : ""
        return WatchVerdict(
            .overlappingReaders,
            cause: .overlappingReaders,
            pid: readers.first,
            "The log cannot start over: \(readers.isEmpty ? "reads" : "the reads of \(names)\(more)") "
                + "have overlapped without a gap for at least "
                + "\(WatchUnits.duration(seconds(since: since))). It has "
                + "\(size(UInt64(index.frames))).",
            remedy:
                "End each read transaction as soon as its rows are fetched, so that at some moment "
                + "none is open; or run PRAGMA wal_checkpoint(RESTART) with a busy timeout."
        )
    }

    var neglect: WatchVerdict? {
        guard let since = history.neglectSince, let index = observation.files.index,
            seconds(since: since) >= Self.patience, pinned == nil
        else { return nil }
        let open = UInt64(index.frames - index.backfilled)
        let writer = writers.first.map { "; the last writer is \(name($0))" } ?? ""
        return WatchVerdict(
            .noCheckpoint,
            cause: .noCheckpoint,
            pid: writers.first,
            "No checkpoint has copied a frame for at least "
                + "\(WatchUnits.duration(seconds(since: since))): \(size(open)) wait\(writer).",
            remedy: "Check PRAGMA wal_autocheckpoint, or run PRAGMA wal_checkpoint(TRUNCATE)."
        )
    }

    /// A file that is large because the log once was.
    var large: WatchVerdict? {
        guard let index = observation.files.index, let room = observation.files.room,
            let bytes = observation.files.wal?.size,
            room >= 8 * LogHistory.threshold, room >= 4 * max(UInt64(index.frames), 1),
            UInt64(index.frames - index.backfilled) < LogHistory.threshold
        else { return nil }
        return WatchVerdict(
            .largeNotPinned,
            "The -wal file has \(WatchUnits.bytes(bytes)), of which "
                + "\(size(UInt64(index.frames))) are in use. Nothing pins the log: its room is "
                + "used again, and it does not shrink by itself.",
            remedy: "PRAGMA wal_checkpoint(TRUNCATE) or PRAGMA journal_size_limit shrinks it."
        )
    }

    var leftover: WatchVerdict? {
        let files = observation.files
        guard observation.locks.isEmpty, observation.open.isEmpty, !observation.hasHiddenHolder,
            let wal = files.wal, wal.size > UInt64(WALHeader.length), let room = files.room
        else { return nil }
        return WatchVerdict(
            .leftoverWAL,
            "No visible process uses the database, and its -wal file (\(WatchUnits.bytes(wal.size))"
                + ", room for \(WatchUnits.count(room, "frame"))) was left behind: the last process "
                + "did not close its connection. The log may contain commits that the database "
                + "file lacks.",
            remedy: "Keep the -wal file with the database. The next connection that can write "
                + "recovers the log."
        )
    }
}
