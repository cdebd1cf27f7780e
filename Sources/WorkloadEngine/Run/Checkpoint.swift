/// How far a checkpoint goes (<https://sqlite.org/pragma.html#pragma_wal_checkpoint>).
public enum CheckpointMode: String, Sendable, Codable, CaseIterable {
    /// Copies what it can without waiting for anybody.
    case passive
    /// Waits for writers, and copies all that readers allow.
    case full
    /// The same, then waits for readers, so that the next writer starts the log anew.
    case restart
    /// The same, and truncates the log.
    case truncate
}

/// What a checkpoint did.
struct Checkpoint: Sendable, CustomStringConvertible {
    /// Whether somebody kept it from going as far as asked.
    var isBlocked: Bool
    /// The frames of the log.
    var frames: Int64
    /// Those of them that are in the database file now.
    var copied: Int64

    /// A checkpoint of a database that has no log.
    struct NoLog: Error, CustomStringConvertible {
        let description = "this database has no write-ahead log"
    }

    /// Runs a checkpoint; a pragma does it in every library.
    ///
    /// - Throws: What the target throws, and ``NoLog``.
    static func run(
        _ mode: CheckpointMode,
        on target: any WorkloadTarget,
        as client: WorkloadClientName,
        entered: () -> Void = {}
    ) throws -> Checkpoint {
        var checkpoint: Checkpoint?
        try target.perform(.writeWithoutTransaction, as: client) { session in
            entered()
            let sql = "PRAGMA wal_checkpoint(\(mode.rawValue.uppercased()))"
            checkpoint = Checkpoint(try session.rows(sql, []).first ?? [])
        }
        guard let checkpoint, checkpoint.frames >= 0 else { throw NoLog() }
        return checkpoint
    }

    /// Reads the pragma's row: busy, log, checkpointed.
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
