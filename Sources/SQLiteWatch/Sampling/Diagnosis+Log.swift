import Telemetry
import Text

extension Diagnosis {
    /// A reader with an old snapshot, which pins frames in the log.
    struct Pin {
        var process: Int32
        var mark: Int
        var frame: UInt64
        var frames: UInt64
        var since: UInt64
    }

    /// The readers that pin frames in the log, sorted by number of frames in descending order.
    var pins: [Pin] {
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

    /// The multiple of the threshold above which a log is considered long, even if few frames were
    /// written during the observation.
    private static let longLogMultiple: UInt64 = 8

    private var frameLength: UInt64 {
        UInt64((observation.files.pageSize ?? 4_096) + WALHeader.frameHeaderLength)
    }

    private func size(_ frames: UInt64) -> String {
        "\(HumanUnits.exact(frames, "frame")) (\(HumanUnits.bytes(frames * frameLength)))"
    }

    private func seconds(since: UInt64) -> Double {
        Double(observation.now - min(observation.now, since)) / 1e9
    }

    private func age(since: UInt64) -> String {
        HumanUnits.duration(seconds: seconds(since: since))
    }

    var pinned: WatchVerdict? {
        guard let pin = pins.first(where: { seconds(since: $0.since) >= Self.minimumAge }) else {
            return nil
        }
        let age = age(since: pin.since)
        let verb =
            pin.mark == 0
            ? "has been reading the database file without the log"
            : "has been reading the state at frame \(HumanUnits.exact(pin.frame))"
        return WatchVerdict(
            .pinned,
            cause: .oldReader,
            pid: pin.process,
            "\(name(pin.process)) pins the log: it \(verb) for at least \(age). No checkpoint can "
                + "copy the \(size(pin.frames)) after that state.",
            remedy: "End its read transaction: reset or finalize its statements, or close its "
                + "cursors. Process \(pin.process) does not need a restart."
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
            "A large transaction by \(name(process)) has been filling the log for at least "
                + "\(age(since: hold.since)): \(size(frames)) so far.",
            remedy: "No checkpoint can copy its frames until it commits. Divide it into smaller "
                + "transactions."
        )
    }

    var overlapping: WatchVerdict? {
        guard let since = history.overlapSince, let index = observation.files.index,
            seconds(since: since) >= Self.minimumAge,
            history.framesInOverlap >= LogHistory.threshold
                || UInt64(index.frames) >= Self.longLogMultiple * LogHistory.threshold
        else { return nil }
        let names = readers.prefix(3).map(name).joined(separator: ", ")
        let more = readers.count > 3 ? " and \(readers.count - 3) more" : ""
        return WatchVerdict(
            .overlappingReaders,
            cause: .overlappingReaders,
            pid: readers.first,
            "The log cannot be reset: "
                + (readers.isEmpty ? "reads" : "the reads of \(names)\(more)")
                + " have overlapped without a gap for at least \(age(since: since)). It contains "
                + "\(size(UInt64(index.frames))).",
            remedy:
                "End each read transaction as soon as its rows are fetched, which leaves gaps "
                + "without a reader, or run PRAGMA wal_checkpoint(RESTART) with a busy timeout."
        )
    }

    var missingCheckpoint: WatchVerdict? {
        guard let since = history.neglectedSince, let index = observation.files.index,
            seconds(since: since) >= Self.minimumAge, pinned == nil
        else { return nil }
        let backlog = UInt64(index.frames - index.backfilled)
        let writer = writers.first.map { "; the last writer is \(name($0))" } ?? ""
        return WatchVerdict(
            .noCheckpoint,
            cause: .noCheckpoint,
            pid: writers.first,
            "No checkpoint has copied a frame for at least \(age(since: since)): the backlog is "
                + "\(size(backlog))\(writer).",
            remedy: "Check PRAGMA wal_autocheckpoint, or run PRAGMA wal_checkpoint(TRUNCATE)."
        )
    }

    /// The finding that the log was once large and that the file has kept its size.
    var largeLog: WatchVerdict? {
        guard let index = observation.files.index, let room = observation.files.room,
            let bytes = observation.files.wal?.size,
            room >= 8 * LogHistory.threshold, room >= 4 * max(UInt64(index.frames), 1),
            UInt64(index.frames - index.backfilled) < LogHistory.threshold
        else { return nil }
        return WatchVerdict(
            .largeNotPinned,
            "The size of the -wal file is \(HumanUnits.bytes(bytes)), of which "
                + "\(size(UInt64(index.frames))) are in use. Nothing pins the log: SQLite reuses "
                + "the space, but does not shrink the file.",
            remedy:
                "Run PRAGMA wal_checkpoint(TRUNCATE) or set PRAGMA journal_size_limit to shrink it."
        )
    }

    var leftover: WatchVerdict? {
        let files = observation.files
        guard observation.locks.isEmpty, observation.openProcesses.isEmpty,
            !observation.hasHiddenHolder,
            let wal = files.wal, wal.size > UInt64(WALHeader.length), let room = files.room
        else { return nil }
        return WatchVerdict(
            .leftoverWAL,
            "No visible process uses the database, but its -wal file (\(HumanUnits.bytes(wal.size))"
                + ", space for \(HumanUnits.exact(room, "frame"))) remains: the last process did "
                + "not close its connection. The log may contain commits that are missing from the "
                + "database file.",
            remedy: "Keep the -wal file with the database. The next connection that can write "
                + "recovers the log."
        )
    }
}
