import Telemetry
import TerminalUI
import Text

/// Descriptions of the write-ahead log's pin or use of the file.
enum WALWords {
    /// Returns the reason that the log does not shrink, as a predicate for the subject "the log",
    /// or `nil` if there is no pin.
    static func pin(_ wal: WALStatus?) -> String? {
        guard let pin = wal?.pin else { return nil }
        let name = pin.by.name
        let age = HumanUnits.duration(nanoseconds: pin.ageNanoseconds)
        switch pin.cause {
        case .oldReader:
            // A snapshot that the user took has the name "you".
            let reader = name == "you" ? "your snapshot" : name
            return "is pinned by \(reader), which has kept an old state for \(age)"
        case .overlappingReaders:
            return "cannot be reset: reads have overlapped without a gap for \(age) (now: \(name))"
        case .largeTransaction:
            return "grows because of a large transaction by \(name), \(age) so far"
        case .noCheckpoint: return "has not been checkpointed by \(name) for \(age)"
        case .otherProcess: return "has been pinned by another process, \(name), for \(age)"
        }
    }

    /// Returns a mark and the longest description of the log that fits.
    static func state(_ wal: WALStatus, width: Int, rows: Int) -> (text: String, isPinned: Bool) {
        // The other texts omit the subject and the verb "is".
        if let pin = pin(wal) { return ("▲ \(pin.trimmingPrefix("is "))", true) }
        let texts = LogUse(wal).descriptions.map { "✔ \($0)" }
        return (fitting(texts, width: width, rows: rows), false)
    }

    /// Returns equivalent explanations of the log's state and its remedies, longest first.
    ///
    /// `truncateKeys` names the keys for a TRUNCATE checkpoint, if any.
    static func explanations(_ database: DatabaseStatus, truncateKeys: String?) -> [String] {
        guard let wal = database.wal else {
            return [
                "Without a write-ahead log, readers and the writer block each other, and there "
                    + "are no snapshots.",
                "Without a write-ahead log, there are no snapshots.",
            ]
        }
        switch wal.pin?.cause {
        case .oldReader: return snapshotExplanations
        case .overlappingReaders:
            return [
                "SQLite resets a log only when it is completely checkpointed and no reader uses "
                    + "it. Reads that overlap without a gap prevent this, even if each read is "
                    + "short.",
                "Reads that overlap without a gap prevent a reset of the log.",
            ]
        case .largeTransaction:
            return [
                "The frames of a transaction stay in the log until it commits. Only then can a "
                    + "checkpoint copy them and SQLite reset the log.",
                "The frames of a transaction stay in the log until it commits.",
            ]
        case .noCheckpoint:
            return [
                "Frames stay in the log until a checkpoint copies them to the database. No "
                    + "checkpoint ran, or none completed.",
                "Frames stay in the log until a checkpoint copies them to the database.",
            ]
        case .otherProcess:
            return [
                "Another process is reading an old state of the database or holds a lock that a "
                    + "checkpoint needs, so frames stay in the log.",
                "Another process prevents a checkpoint of the frames.",
            ]
        case nil:
            return database.snapshots.isEmpty
                ? LogUse(wal).explanations(truncateKeys: truncateKeys) : snapshotExplanations
        }
    }

    private static let snapshotExplanations = [
        "A snapshot shows the database as it was when the snapshot was created. While it is "
            + "open, no checkpoint copies later frames, and SQLite cannot reset the log, so all "
            + "later frames stay in it.",
        "While a snapshot is open, SQLite cannot reset the log, and later frames stay in it.",
    ]

    /// Returns the first text that fits, or the last text if none fits.
    static func fitting(_ texts: [String], width: Int, rows: Int) -> String {
        texts.first { TextWrapping.lines(of: $0, width: width).count <= max(rows, 1) }
            ?? texts.last ?? ""
    }

    static func short(_ pin: WALPin) -> String {
        switch pin.cause {
        case .oldReader: "pinned by \(pin.by.name)"
        case .overlappingReaders: "reads overlap"
        case .largeTransaction: "filled by \(pin.by.name)"
        case .noCheckpoint: "no checkpoint"
        case .otherProcess: "pinned by a process"
        }
    }

    /// Returns the longest description of the frames that fits, or an empty string if the number of
    /// frames is unknown.
    static func frames(_ wal: WALStatus, width: Int) -> String {
        guard let frames = wal.frames else { return "" }
        let number = HumanUnits.count(frames)
        let total = number + (frames == 1 ? " frame" : " frames")
        let copied = wal.checkpointedFrames.map { "\(HumanUnits.count($0)) checkpointed" }
        let room = wal.frameCapacity.flatMap { $0 > frames ? HumanUnits.count($0) : nil }
        let texts = [
            copied.flatMap { copied in
                room.map { "\(number) of \($0) frames in use, \(copied)" }
            },
            copied.map { "\(total), \($0)" },
            total,
        ]
        return texts.compactMap(\.self).first { $0.utf8.count <= width } ?? ""
    }
}

extension History {
    /// Whether the log is growing.
    ///
    /// A growing log exceeds the threshold of automatic checkpoints, and is more than 10% larger
    /// than its minimum size in the last ten seconds.
    var isLogGrowing: Bool {
        guard !isOver, let wal = displayedSample?.database.wal, case .filling = LogUse(wal),
            // The default threshold for automatic checkpoints: 1,000 pages of 4 KiB.
            wal.bytes > 1_000 * 4_120 + 32
        else { return false }
        var minimum = Double(wal.bytes)
        visitMoments(last: Verdict.seconds) { if $0.walBytes < minimum { minimum = $0.walBytes } }
        return Double(wal.bytes) > minimum * 1.1
    }
}

/// SQLite's use of the space in a write-ahead log that is not pinned.
///
/// SQLite does not shrink the log after a checkpoint. If all frames are checkpointed and no reader
/// uses the log, the next write resets the log. That write starts at the beginning of the file, and
/// the file keeps its size. `journal_size_limit` and a TRUNCATE checkpoint shrink the file. Closing
/// the last connection deletes the file (https://sqlite.org/wal.html, "The WAL File";
/// https://sqlite.org/pragma.html#pragma_journal_size_limit).
enum LogUse: Equatable {
    case empty
    /// Frames wait for a checkpoint, so the log grows.
    case filling(waiting: UInt64)
    /// The log has been reset, or the next write resets it.
    ///
    /// The file keeps its size.
    case reused
    case unknown

    init(_ wal: WALStatus) {
        // The log's header is 32 bytes long.
        guard wal.bytes > 32 else {
            self = .empty
            return
        }
        guard let frames = wal.frames else {
            self = .unknown
            return
        }
        let copied = wal.checkpointedFrames ?? 0
        let hasRoom = wal.frameCapacity.map { frames < $0 } ?? false
        self =
            copied >= frames || hasRoom ? .reused : .filling(waiting: frames - copied)
    }

    /// Descriptions of the state, longest first.
    var descriptions: [String] {
        switch self {
        case .empty: return ["is empty"]
        case .filling(let waiting):
            let frames = HumanUnits.count(waiting) + (waiting == 1 ? " frame" : " frames")
            let verb = waiting == 1 ? "waits" : "wait"
            return [
                "not pinned: \(frames) \(verb) for the next checkpoint",
                "not pinned: \(frames) to checkpoint", "not pinned",
            ]
        case .reused:
            return [
                "not pinned: new writes overwrite old frames, and the file keeps its size",
                "not pinned: writes reuse it; the file keeps its size",
                "reused; keeps its size", "not pinned",
            ]
        case .unknown: return ["not pinned; the file keeps its size", "not pinned"]
        }
    }

    /// Returns equivalent explanations of the state and its remedies, longest first.
    ///
    /// `truncateKeys` names the keys for a TRUNCATE checkpoint, if any.
    func explanations(truncateKeys: String?) -> [String] {
        let keys = truncateKeys.map { " (\($0))" } ?? ""
        switch self {
        case .empty: return ["The log is empty: the database file contains all data."]
        case .filling:
            return [
                "Writes go to the log until a checkpoint copies them to the database, by default "
                    + "every 1,000 frames. Later writes then reuse the log from its beginning.",
                "The next checkpoint copies the frames; later writes then reuse the log.",
            ]
        case .reused, .unknown:
            return [
                "After a complete checkpoint, later writes reuse the log from its beginning, so "
                    + "it does not grow. SQLite keeps the size of the file; a TRUNCATE "
                    + "checkpoint\(keys) or PRAGMA journal_size_limit shrinks it, and closing the "
                    + "last connection deletes it.",
                "After a complete checkpoint, writes reuse the log. The file keeps its size until a "
                    + "TRUNCATE checkpoint\(keys) or journal_size_limit shrinks it, or the last "
                    + "connection closes.",
                "The file keeps its size until a TRUNCATE checkpoint\(keys).",
                "A TRUNCATE checkpoint\(keys) shrinks the file.",
            ]
        }
    }
}

extension WALStatus {
    /// The number of frames that fit into the file, or `nil` if the page size is unknown.
    var frameCapacity: UInt64? {
        guard let pageSize, pageSize > 0, pageSize <= 65_536 else { return nil }
        return (max(bytes, 32) - 32) / UInt64(pageSize + 24)
    }
}
