/// The name, type, and description of a metric that several kinds of sources report.
package struct MetricTitle: Sendable {
    package var name: String
    package var type: MetricType
    /// A one-line description.
    package var help: String

    package static let up = MetricTitle(
        name: "sqlite_up",
        type: .gauge,
        help: "1 if the file is a readable database or the agent responds; otherwise, 0."
    )
    package static let walBytes = MetricTitle(
        name: "sqlite_wal_bytes",
        type: .gauge,
        help: "The size of the write-ahead log file."
    )
    package static let walFrames = MetricTitle(
        name: "sqlite_wal_frames",
        type: .gauge,
        help: "The number of valid frames in the write-ahead log."
    )
    package static let walCheckpointedFrames = MetricTitle(
        name: "sqlite_wal_checkpointed_frames",
        type: .gauge,
        help: "The number of valid frames that have been copied to the database file."
    )
    package static let walPinnedFrames = MetricTitle(
        name: "sqlite_wal_pinned_frames",
        type: .gauge,
        help: "The number of frames that checkpoints cannot copy because of a reader or snapshot."
    )
    package static let walOldestReader = MetricTitle(
        name: "sqlite_wal_oldest_reader_seconds",
        type: .gauge,
        help: "The age of the oldest visible read transaction or snapshot, or 0 if there is none."
    )
    package static let checkpoints = MetricTitle(
        name: "sqlite_checkpoint_total",
        type: .counter,
        help: "The number of checkpoints, by mode. The mode is `unknown` if the program did not "
            + "request the checkpoint."
    )
}
