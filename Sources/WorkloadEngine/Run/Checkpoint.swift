/// The mode of a checkpoint (<https://sqlite.org/pragma.html#pragma_wal_checkpoint>).
public enum CheckpointMode: String, Sendable, Codable, CaseIterable {
    /// Copies as many frames as possible without waiting.
    case passive
    /// Waits for writers, and copies all frames that readers allow.
    case full
    /// Like ``full``, then waits for readers, so that the next writer restarts the log.
    case restart
    /// Like ``restart``, and truncates the log.
    case truncate

    /// The statement.
    var sql: String { "PRAGMA wal_checkpoint(\(rawValue.uppercased()))" }
}

/// The result of a checkpoint.
struct Checkpoint: Sendable, CustomStringConvertible {
    /// Whether another connection blocked it.
    var isBlocked: Bool
    /// The frames in the log.
    var frames: Int64
    /// The frames that the database file contains now.
    var copied: Int64

    /// A checkpoint of a database without a log.
    struct NoLog: Error, CustomStringConvertible {
        let description = "this database has no write-ahead log"
    }

    /// Runs a checkpoint through a pragma, which works in every library.
    ///
    /// - Throws: Errors of the target, and ``NoLog``.
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
