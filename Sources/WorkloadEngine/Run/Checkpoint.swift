/// A checkpoint's mode (<https://sqlite.org/pragma.html#pragma_wal_checkpoint>).
public enum CheckpointMode: String, Sendable, Codable, CaseIterable {
    /// Copies as many frames as possible without waiting.
    case passive
    /// Waits for writers, then copies all frames that readers allow.
    case full
    /// Proceeds like ``full``, then waits for readers, which allows the next writer to restart the
    /// log.
    case restart
    /// Proceeds like ``restart``, then truncates the log.
    case truncate

    /// The statement.
    var sql: String { "PRAGMA wal_checkpoint(\(rawValue.uppercased()))" }
}

/// A checkpoint's result.
struct Checkpoint: Sendable, CustomStringConvertible {
    /// Whether another connection blocked the checkpoint.
    var isBlocked: Bool
    /// The number of frames in the log.
    var frames: Int64
    /// The number of those frames that the database file contains.
    var copied: Int64

    /// An error that reports that a database has no write-ahead log.
    struct NoLog: Error, CustomStringConvertible {
        let description = "this database has no write-ahead log"
    }

    /// Runs a checkpoint through a pragma, which works in every library.
    ///
    /// - Throws: ``NoLog``, or an error that the target throws.
    static func run(
        _ mode: CheckpointMode,
        on target: any WorkloadTarget,
        as client: WorkloadClientName,
        entered: () -> Void = {}
    ) throws -> Checkpoint {
        var checkpoint: Checkpoint?
        try target.perform(.writeWithoutTransaction, as: client) { session in
            entered()
            checkpoint = Checkpoint(try session.rows(mode.sql, []).first ?? [])
        }
        guard let checkpoint, checkpoint.frames >= 0 else { throw NoLog() }
        return checkpoint
    }

    /// Parses the pragma's row: busy, log, checkpointed.
    private init?(_ row: [WorkloadValue]) {
        let numbers = row.compactMap { value in
            if case .integer(let number) = value { number } else { nil }
        }
        guard numbers.count == 3 else { return nil }
        isBlocked = numbers[0] != 0
        frames = numbers[1]
        copied = numbers[2]
    }

    var description: String {
        let blocked = isBlocked ? ", blocked by another connection" : ""
        return "\(copied) of \(frames) frames are in the database\(blocked)"
    }
}
