import Telemetry
import TerminalUI
import Text

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
