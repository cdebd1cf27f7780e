import Telemetry

/// A request to the program that runs the load.
package enum DashboardAction: Sendable, Equatable {
    /// End the run and quit.
    case quit
    /// Stop this arm and start the next arm.
    case nextArm
    /// Interrupt the statement of the connection with the given label.
    ///
    /// If the label is `nil`, interrupt all statements.
    case interrupt(connection: String?)
    case checkpoint(CheckpointMode)
    /// Take a snapshot and keep it.
    case makeSnapshot
    /// Release the snapshot with the given label.
    ///
    /// If the label is `nil`, release the oldest snapshot that ``makeSnapshot`` created.
    case releaseSnapshot(label: String?)
    case setLoadPaused(Bool)
    /// Change a setting of the load.
    case changeSetting(LoadKnob)
    /// Rebuild the pool with this maximum number of readers.
    case setReaderCount(Int)
    /// Start a recording, or stop the recording in progress.
    case toggleRecording
    /// Set the refresh rate, in frames/s.
    case setRefreshRate(Double)
    /// Copy text to the terminal's clipboard (OSC 52).
    case copy(String)

    /// The mode of a checkpoint (<https://sqlite.org/c3ref/wal_checkpoint_v2.html>).
    package enum CheckpointMode: String, Sendable, CaseIterable {
        /// Copies as many frames as possible without waiting.
        case passive
        /// Waits for the writer and copies all frames.
        case full
        /// Works like `full`, and also waits for readers so that the next writer resets the log.
        case restart
        /// Works like `restart`, and also truncates the log file to zero bytes.
        case truncate
    }
}
