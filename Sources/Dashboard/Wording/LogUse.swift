import Telemetry
import TerminalUI

/// What a write-ahead log that nothing pins does with its file.
///
/// SQLite cuts no log after a checkpoint: when all of it was copied back and nobody reads from it,
/// the next write starts over at its beginning, and the file stays as large as it once was. It
/// shrinks with `journal_size_limit`, by a checkpoint of mode TRUNCATE, and is deleted when the last
/// connection closes (https://sqlite.org/wal.html, "The WAL File";
/// https://sqlite.org/pragma.html#pragma_journal_size_limit).
enum LogUse: Equatable {
    /// There is nothing in it.
    case empty
    /// It gets longer: so many frames wait for a checkpoint.
    case filling(waiting: UInt64)
    /// It starts over, or is about to, in a file that keeps its size.
    case startsOver
    /// Its frames could not be read.
    case unknown

    /// Tells from a log's status what it does.
    init(_ wal: WALStatus) {
        // A header alone is no frame.
        guard wal.bytes > 32 else {
            self = .empty
            return
        }
        guard let frames = wal.frames else {
            self = .unknown
            return
        }
        let copied = wal.checkpointedFrames ?? 0
        let hasRoom = wal.frameRoom.map { frames < $0 } ?? false
        self =
            copied >= frames || hasRoom ? .startsOver : .filling(waiting: frames - copied)
    }

    /// It in words, from the longest wording to the shortest.
    var words: [String] {
        switch self {
        case .empty: return ["is empty"]
        case .filling(let waiting):
            let frames = HumanUnits.count(waiting) + (waiting == 1 ? " frame" : " frames")
            let verb = waiting == 1 ? "waits" : "wait"
            return [
                "nothing pins it: \(frames) \(verb) for the next checkpoint",
                "not pinned: \(frames) to checkpoint", "not pinned",
            ]
        case .startsOver:
            return [
                "nothing pins it: writes start over at its beginning, and the file keeps its size",
                "not pinned: it starts over, the file keeps its size",
                "starts over, keeps its size", "not pinned",
            ]
        case .unknown: return ["nothing pins it; the file keeps its size", "not pinned"]
        }
    }

    /// What that means and what can be done about it, from the longest wording to the shortest.
    ///
    /// - Parameter truncate: The keys that ask for a checkpoint of mode TRUNCATE; nil without any.
    /// - Returns: The same in several wordings.
    func meaning(truncate: String?) -> [String] {
        let keys = truncate.map { " (\($0))" } ?? ""
        switch self {
        case .empty: return ["The log is empty: whatever was written is in the database file."]
        case .filling:
            return [
                "Writes go into the log until a checkpoint copies them back, by itself every 1,000 "
                    + "frames unless told otherwise. Then writes start over at its beginning.",
                "The next checkpoint copies the frames back; then writes start over.",
            ]
        case .startsOver, .unknown:
            return [
                "What the log held was copied back in full, and writes start over at its "
                    + "beginning: it does not grow. SQLite keeps the file as large as it once was; "
                    + "it shrinks by a TRUNCATE checkpoint\(keys), by PRAGMA journal_size_limit, "
                    + "or when the last connection closes.",
                "It was copied back in full and starts over. The file keeps its size until a "
                    + "TRUNCATE checkpoint\(keys), journal_size_limit or the last close cuts it.",
                "The file keeps its size until a TRUNCATE checkpoint\(keys) cuts it.",
                "A TRUNCATE checkpoint\(keys) cuts the file.",
            ]
        }
    }
}

extension WALStatus {
    /// How many frames the file has room for at its size; nil when the pages' size is not known.
    var frameRoom: UInt64? {
        guard let pageSize, pageSize > 0, pageSize <= 65_536 else { return nil }
        return (max(bytes, 32) - 32) / UInt64(pageSize + 24)
    }
}
