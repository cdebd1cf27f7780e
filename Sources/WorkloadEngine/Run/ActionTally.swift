import Telemetry

/// What a client's checkpoints and backups came to.
final class ActionTally: Sendable {
    private struct State: Sendable {
        var checkpoints: CheckpointResult?
        var backupBytes: UInt64?
    }

    private let state = Lock(State())

    /// The checkpoints; nil when there was none.
    var checkpoints: CheckpointResult? { state.withLock { $0.checkpoints } }

    /// The size of the last backup, in bytes; nil when there was none.
    var backupBytes: UInt64? { state.withLock { $0.backupBytes } }

    /// Counts a checkpoint.
    func count(_ checkpoint: Checkpoint) {
        state.withLock { state in
            var result =
                state.checkpoints ?? CheckpointResult(count: 0, blocked: 0, frames: 0, copied: 0)
            result.count += 1
            if checkpoint.isBlocked { result.blocked += 1 }
            result.frames = checkpoint.frames
            result.copied = checkpoint.copied
            state.checkpoints = result
        }
    }

    /// Notes a backup's size.
    func countBackup(bytes: UInt64) { state.withLock { $0.backupBytes = bytes } }
}

/// What a client's checkpoints did.
public struct CheckpointResult: Sendable, Codable, Equatable {
    /// How many there were.
    public var count: Int
    /// How many of them another connection kept from going as far as asked.
    public var blocked: Int
    /// The frames of the log at the last one.
    public var frames: Int64
    /// Those of them that were in the database file after it.
    public var copied: Int64
}
