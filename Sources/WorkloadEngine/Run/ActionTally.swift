import Telemetry

/// A tally that counts a client's checkpoints and backups.
final class ActionTally: Sendable {
    private struct State: Sendable {
        var checkpoints: CheckpointResult?
        var backupBytes: UInt64?
    }

    private let state = Lock(State())

    var checkpoints: CheckpointResult? { state.withLock { $0.checkpoints } }

    var backupBytes: UInt64? { state.withLock { $0.backupBytes } }

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

    func countBackup(bytes: UInt64) { state.withLock { $0.backupBytes = bytes } }
}

/// The result of a client's checkpoints.
public struct CheckpointResult: Sendable, Codable, Equatable {
    /// The number of checkpoints.
    public var count: Int
    /// The number of checkpoints that another connection blocked.
    public var blocked: Int
    /// The number of log frames that the last checkpoint reported.
    public var frames: Int64
    /// The number of those frames that are also in the database file.
    public var copied: Int64
}
