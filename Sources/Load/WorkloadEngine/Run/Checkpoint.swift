/// The mode of a checkpoint (<https://sqlite.org/pragma.html#pragma_wal_checkpoint>).
public enum CheckpointMode: String, Sendable, Codable, CaseIterable {
    /// Copies as many frames as possible without waiting.
    case passive
    /// Waits for writers, then copies all frames that readers allow.
    case full
    /// Works like ``full``, then waits for readers so that the next writer can restart the log.
    case restart
    /// Works like ``restart``, then truncates the log.
    case truncate

    var sql: String { "PRAGMA wal_checkpoint(\(rawValue.uppercased()))" }
}

/// The result of a checkpoint.
struct Checkpoint: Sendable, CustomStringConvertible {
    var isBlocked: Bool
    /// The number of frames in the log.
    var frames: Int64
    /// The number of frames in the log that have been copied to the database file.
    var copied: Int64

    /// The error for a database that has no write-ahead log.
    struct NoWriteAheadLogError: Error, CustomStringConvertible {
        let description = "this database has no write-ahead log"
    }

    /// Runs a checkpoint with a pragma, which every library supports.
    ///
    /// This method calls `onEntry` when the access has acquired its connection.
    ///
    /// - Throws: ``NoWriteAheadLogError``, or an error that the target throws.
    static func run(
        _ mode: CheckpointMode,
        on target: any WorkloadTarget,
        as client: WorkloadClientName,
        onEntry: () -> Void = {}
    ) throws -> Checkpoint {
        var checkpoint: Checkpoint?
        try target.perform(.writeWithoutTransaction, as: client) { session in
            onEntry()
            checkpoint = Checkpoint(try session.rows(mode.sql, []).first ?? [])
        }
        guard let checkpoint, checkpoint.frames >= 0 else { throw NoWriteAheadLogError() }
        return checkpoint
    }

    /// Creates a checkpoint from the pragma's `busy`, `log`, and `checkpointed` columns.
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
