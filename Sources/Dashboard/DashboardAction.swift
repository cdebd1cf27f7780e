import Telemetry

/// What the dashboard asks of the program that runs the load.
package enum DashboardAction: Sendable, Equatable {
    /// End the run and the program.
    case quit
    /// Stop this arm and start the next one.
    case nextArm
    /// Interrupt the statement of the connection with this label, or, for nil, every one.
    case interrupt(connection: String?)
    /// Checkpoint the write-ahead log.
    case checkpoint(CheckpointMode)
    /// Take a snapshot and keep it.
    case makeSnapshot
    /// Release the snapshot with this label, or, for nil, the oldest that was taken by key.
    case releaseSnapshot(label: String?)
    /// Hold the load back, or let it go on.
    case setLoadPaused(Bool)
    /// Turn a knob of the load.
    case turn(LoadKnob)
    /// Rebuild the pool with so many readers at most.
    case setReaderCount(Int)
    /// Draw so often, in frames/s.
    case setRefreshRate(Double)
    /// Put a text on the clipboard of the terminal (OSC 52).
    case copy(String)

    /// How far a checkpoint goes: <https://sqlite.org/c3ref/wal_checkpoint_v2.html>.
    package enum CheckpointMode: String, Sendable, CaseIterable {
        /// Copies what it can without waiting for anybody.
        case passive
        /// Waits for the writer, and copies everything.
        case full
        /// Waits for readers too, so that the log starts over.
        case restart
        /// Cuts the log to nothing besides.
        case truncate
    }
}
