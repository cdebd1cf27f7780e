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
