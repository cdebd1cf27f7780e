import Telemetry
import TerminalUI

/// The write-ahead log in words: what keeps it from shrinking, and what it does otherwise.
enum WALWords {
    /// Why the log does not shrink, as what follows "the log"; nil when nothing keeps it.
    static func pin(_ wal: WALStatus?) -> String? {
        guard let pin = wal?.pin else { return nil }
        let name = pin.by.name
        let age = HumanUnits.duration(nanoseconds: pin.ageNanoseconds)
        switch pin.cause {
        case .oldReader: return "is pinned by \(name): it has read one old state for \(age)"
        case .overlappingReaders:
            return "cannot start over: reads have overlapped without a gap for \(age), \(name) now"
        case .largeTransaction: return "grows with one large transaction of \(name), \(age) so far"
        case .noCheckpoint: return "was not checkpointed for \(age), by \(name)"
        case .otherProcess: return "is pinned by another process, \(name), for \(age)"
        }
    }

    /// A mark and what is to be said of the log, in the longest words that fit.
    ///
    /// - Parameters:
    ///   - wal: The log.
    ///   - width: The columns of a row.
    ///   - rows: The rows.
    /// - Returns: The words, and whether something keeps the log from shrinking.
    static func state(_ wal: WALStatus, width: Int, rows: Int) -> (words: String, isPinned: Bool) {
        if let pin = pin(wal) { return ("▲ \(pin)", true) }
        let words = LogUse(wal).words.map { "✔ \($0)" }
        return (fitting(words, width: width, rows: rows), false)
    }

    /// What the state of the log means, and what can be done about it.
    ///
    /// - Parameters:
    ///   - database: The database.
    ///   - truncate: The keys that ask for a checkpoint of mode TRUNCATE; nil without any.
    /// - Returns: The same in several wordings, from the longest to the shortest.
    static func meaning(_ database: DatabaseStatus, truncate: String?) -> [String] {
        guard let wal = database.wal else {
            return [
                "Without a write-ahead log readers and the writer shut each other out, and there "
                    + "are no snapshots.",
                "Without a write-ahead log there are no snapshots.",
            ]
        }
        switch wal.pin?.cause {
        case .oldReader: return snapshot
        case .overlappingReaders:
            return [
                "A log starts over only at a moment at which all of it is copied back and nobody "
                    + "reads from it. Reads that overlap without a gap leave no such moment, "
                    + "however short each of them is.",
                "Reads that overlap without a gap leave the log no moment to start over.",
            ]
        case .largeTransaction:
            return [
                "What a transaction writes stays in the log until it has committed; only then can "
                    + "a checkpoint copy it back, and the log start over.",
                "What a transaction writes stays in the log until it has committed.",
            ]
        case .noCheckpoint:
            return [
                "Frames stay in the log until a checkpoint has copied them back. Nobody ran one, "
                    + "or none came to its end.",
                "Frames stay in the log until a checkpoint has copied them back.",
            ]
        case .otherProcess:
            return [
                "Another process reads an old state of the database, or holds a lock that a "
                    + "checkpoint needs: frames stay in the log meanwhile.",
                "Another process keeps frames from being copied back.",
            ]
        case nil:
            return database.snapshots.isEmpty
                ? LogUse(wal).meaning(truncate: truncate) : snapshot
        }
    }

    private static let snapshot = [
        "A snapshot sees the database as it was when it was made. While it lives, no checkpoint "
            + "copies a frame behind its own, and the log cannot start over: what comes after it "
            + "stays in the log.",
        "While a snapshot lives, the log cannot start over: what follows stays in it.",
    ]

    /// The first of several wordings that fits, or else the last.
    static func fitting(_ texts: [String], width: Int, rows: Int) -> String {
        texts.first { TextWrapping.lines(of: $0, width: width).count <= max(rows, 1) }
            ?? texts.last ?? ""
    }

    /// The cause in two or three words, where there is no room for a sentence.
    static func short(_ pin: WALPin) -> String {
        switch pin.cause {
        case .oldReader: "pinned by \(pin.by.name)"
        case .overlappingReaders: "reads overlap"
        case .largeTransaction: "filled by \(pin.by.name)"
        case .noCheckpoint: "no checkpoint"
        case .otherProcess: "pinned by a process"
        }
    }

    /// The size of the log in frames, in as many words as fit; empty when it could not be read.
    static func frames(_ wal: WALStatus, width: Int) -> String {
        guard let frames = wal.frames else { return "" }
        let all = HumanUnits.count(frames) + (frames == 1 ? " frame" : " frames")
        let copied = wal.checkpointedFrames.map { "\(HumanUnits.count($0)) copied back" }
        let room = wal.frameRoom.flatMap { $0 > frames ? HumanUnits.count($0) : nil }
        let texts = [
            copied.flatMap { copied in room.map { "\(all) in use of \($0), \(copied)" } },
            copied.map { "\(all), \($0)" },
            all,
        ]
        return texts.compactMap(\.self).first { $0.utf8.count <= width } ?? ""
    }
}

extension History {
    /// Whether the log grows: beyond what checkpoints leave it by themselves, longer than it was,
    /// and by a tenth more than in the last ten seconds.
    var isLogGrowing: Bool {
        guard !isOver, let wal = latest?.database.wal, case .filling = LogUse(wal),
            // A thousand pages of 4 KiB, which is what SQLite checkpoints at.
            wal.bytes > 1_000 * 4_120 + 32
        else { return false }
        var least = Double(wal.bytes)
        visitMoments(last: Verdict.seconds) { if $0.walBytes < least { least = $0.walBytes } }
        return Double(wal.bytes) > least * 1.1
    }
}
