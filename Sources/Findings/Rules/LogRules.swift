import Telemetry
import Text

/// The rules about a write-ahead log that grows or stays.
enum LogRules {
    /// The number of frames after which SQLite starts an automatic checkpoint
    /// (`SQLITE_DEFAULT_WAL_AUTOCHECKPOINT`).
    private static let threshold: UInt64 = 1_000
    /// The multiple of the threshold above which a log is considered long, even if few frames were
    /// written during the observation.
    private static let longLogMultiple: UInt64 = 8
    /// The length of a frame's header, in bytes.
    private static let frameHeaderLength: UInt64 = 24

    private static func size(_ frames: UInt64, log: WatchedWAL) -> String {
        let length = UInt64(log.pageSize ?? 4_096) + frameHeaderLength
        return "\(HumanUnits.exact(frames, "frame")) (\(HumanUnits.bytes(frames * length)))"
    }

    static func pinned(_ facts: FindingFacts) -> [Finding] {
        guard let log = facts.report.wal,
            let pin = facts.report.pins.first(where: { $0.seconds >= FindingFacts.minimumAge })
        else { return [] }
        let verb =
            pin.mark == 0
            ? "has been reading the database file without the log"
            : "has been reading the state at frame \(HumanUnits.exact(pin.frame))"
        return [
            Finding(
                .pinned,
                cause: .oldReader,
                pid: pin.pid,
                "\(facts.name(pin.pid)) pins the log: it \(verb) for at least "
                    + "\(FindingFacts.duration(pin.seconds)). No checkpoint can copy the "
                    + "\(size(pin.frames, log: log)) after that state.",
                remedy: "End its read transaction: reset or finalize its statements, or close its "
                    + "cursors. Process \(pin.pid) does not need a restart."
            )
        ]
    }

    private static func isPinned(_ facts: FindingFacts) -> Bool { !pinned(facts).isEmpty }

    static func largeTransaction(_ facts: FindingFacts) -> [Finding] {
        guard let log = facts.report.wal, let frames = log.uncommittedFrames, frames >= threshold,
            let process = facts.report.processes.first(where: { process in
                process.locks.contains { $0.kind == .writer }
            }), let lock = process.locks.first(where: { $0.kind == .writer })
        else { return endedLargeTransactions(facts) }
        return [
            Finding(
                .largeTransaction,
                cause: .largeTransaction,
                pid: process.pid,
                "A large transaction by \(facts.name(process.pid)) has been filling the log for at "
                    + "least \(FindingFacts.duration(lock.seconds)): \(size(frames, log: log)) so far.",
                remedy:
                    "No checkpoint can copy its frames until it commits. Divide it into smaller "
                    + "transactions."
            )
        ]
    }

    /// The mean number of frames of a commit from which commits are large.
    private static let largeCommit: UInt64 = 250

    /// Transactions that have filled the log in the interval, and have ended.
    private static func endedLargeTransactions(_ facts: FindingFacts) -> [Finding] {
        guard let log = facts.report.wal, let frames = log.framesWritten, let commits = log.commits,
            frames >= longLogMultiple * threshold, commits > 0, frames / commits >= largeCommit
        else { return [] }
        let writer = facts.report.processes.max { $0.share.writer.value < $1.share.writer.value }
            .flatMap { $0.share.writer.value > 0 ? $0.pid : nil }
        let work = writer.flatMap { HolderRules.pastWork(of: $0, facts) }
        return [
            Finding(
                .largeTransaction,
                cause: .largeTransaction,
                pid: writer,
                "\(HumanUnits.exact(commits, "commit")) wrote \(size(frames, log: log)) to the log in "
                    + FindingFacts.duration(facts.report.window.seconds)
                    + (writer.map { "; \(facts.name($0)) held the write lock longest" } ?? "") + "."
                    + (work?.text ?? ""),
                remedy: "Divide the work into smaller transactions, so that checkpoints between "
                    + "them can reuse the log."
            )
        ]
    }

    /// The minimum share of time that a process must hold a read lock to be named as a reader.
    private static let minimumReaderShare = 0.05

    static func overlapping(_ facts: FindingFacts) -> [Finding] {
        guard let log = facts.report.wal, let seconds = log.overlapSeconds, let frames = log.frames,
            seconds >= FindingFacts.minimumAge,
            log.framesInOverlap ?? 0 >= threshold || frames >= longLogMultiple * threshold
        else { return [] }
        let readers = facts.report.processes
            .filter { $0.share.reader.value >= minimumReaderShare }
            .sorted { $0.share.reader.value > $1.share.reader.value }
        let names = readers.prefix(3).map { facts.name($0.pid) }.joined(separator: ", ")
        let more = readers.count > 3 ? " and \(readers.count - 3) more" : ""
        return [
            Finding(
                .overlappingReaders,
                cause: .overlappingReaders,
                pid: readers.first?.pid,
                "The log cannot be reset: "
                    + (readers.isEmpty ? "reads" : "the reads of \(names)\(more)")
                    + " have overlapped without a gap for at least "
                    + "\(FindingFacts.duration(seconds)). It contains \(size(frames, log: log)).",
                remedy:
                    "End each read transaction as soon as its rows are fetched, which leaves gaps "
                    + "without a reader, or run PRAGMA wal_checkpoint(RESTART) with a busy timeout."
            )
        ]
    }

    static func missingCheckpoint(_ facts: FindingFacts) -> [Finding] {
        guard let log = facts.report.wal, let seconds = log.neglectedSeconds,
            let frames = log.frames, let backfilled = log.backfilled,
            seconds >= FindingFacts.minimumAge, !isPinned(facts)
        else { return [] }
        let writer = facts.report.processes.max { $0.share.writer.value < $1.share.writer.value }
            .flatMap { $0.share.writer.value > 0 || $0.isHolder ? $0.pid : nil }
        return [
            Finding(
                .noCheckpoint,
                cause: .noCheckpoint,
                pid: writer,
                "No checkpoint has copied a frame for at least \(FindingFacts.duration(seconds)): "
                    + "the backlog is \(size(frames - min(frames, backfilled), log: log))"
                    + (writer.map { "; \(facts.name($0)) writes most" } ?? "") + ".",
                remedy: "Check PRAGMA wal_autocheckpoint, or run PRAGMA wal_checkpoint(TRUNCATE)."
            )
        ]
    }

    /// A log that was once large and whose file has kept its size.
    static func largeLog(_ facts: FindingFacts) -> [Finding] {
        let others = [pinned, overlapping, missingCheckpoint, largeTransaction]
        guard let log = facts.report.wal, let frames = log.frames, let room = log.room,
            let backfilled = log.backfilled,
            room >= 8 * threshold, room >= 4 * max(frames, 1),
            frames - min(frames, backfilled) < threshold,
            others.allSatisfy({ $0(facts).isEmpty })
        else { return [] }
        return [
            Finding(
                .largeNotPinned,
                level: .note,
                "The size of the -wal file is \(HumanUnits.bytes(log.bytes)), of which "
                    + "\(size(frames, log: log)) are in use. Nothing pins the log: SQLite reuses the "
                    + "space, but does not shrink the file.",
                remedy: "Run PRAGMA wal_checkpoint(TRUNCATE) or set PRAGMA journal_size_limit to "
                    + "shrink it."
            )
        ]
    }

    /// The length of a log's header, in bytes.
    private static let headerLength: UInt64 = 32

    static let leftoverRemedy =
        "Keep the -wal file with the database. The next connection that can write recovers the log."

    static func leftover(_ facts: FindingFacts) -> [Finding] {
        let report = facts.report
        guard let log = report.wal, report.processes.isEmpty, report.hasHiddenHolder != true,
            log.bytes > headerLength, let room = log.room,
            log.commits ?? 0 == 0, log.framesWritten ?? 0 == 0
        else { return [] }
        return [
            Finding(
                .leftoverWAL,
                "No visible process uses the database, but its -wal file "
                    + "(\(HumanUnits.bytes(log.bytes)), space for \(HumanUnits.exact(room, "frame"))"
                    + ") remains: the last process did not close its connection. The log may "
                    + "contain commits that are missing from the database file.",
                remedy: leftoverRemedy
            )
        ]
    }
}
