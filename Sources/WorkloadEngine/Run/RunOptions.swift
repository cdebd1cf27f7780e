import Foundation
import Telemetry

/// The options of a run, which do not change the workload.
public struct RunOptions: Sendable {
    /// The folder in which the run creates a folder for the database.
    public var folder: URL = FileManager.default.temporaryDirectory
    /// Whether the run keeps its folder.
    public var keepsFolder = false
    /// The dataset store that several runs share, or `nil` to build the data for this run only.
    public var datasets: DatasetStore?
    /// The command, with arguments, that starts ``RemoteTargetServer`` in another process for
    /// clients with `style: process`, or `nil` if there is none.
    public var processCommand: [String]?
    /// The user's database to run on, or `nil` to use the scenario's data.
    public var database: UserDatabase?
    /// A function that the run calls on its thread with each sample.
    ///
    /// The function must return quickly.
    public var onSample: (@Sendable (Sample) -> Void)?
    /// A function that the run calls on its thread with each line that describes the preparation.
    public var onProgress: (@Sendable (String) -> Void)?
    /// A function that the run calls on its thread with the URL of its folder if it keeps the
    /// folder (``keepsFolder``).
    public var onKeptFolder: (@Sendable (URL) -> Void)?
    /// The seed for the data, if it differs from the scenario's.
    ///
    /// A comparison's blocks have different seeds but the same data.
    package var datasetSeed: UInt64?
    /// The run's clock.
    package var clock: any RunClock = MonotonicClock()
    /// The time between two samples, in nanoseconds.
    package var sampleInterval: UInt64 = 100_000_000

    /// The interval between a result's records, in nanoseconds, which is at least the sample
    /// interval.
    package var recordInterval: UInt64 = 1_000_000_000
    /// Whether missed thresholds with `abort: true` end the run early.
    package var endsAtMissedThresholds = true
    /// Whether the run fails if all of a client's accesses are unfinished when it ends.
    var judgesUnfinished = true
    /// A function that the run calls on its thread at the end, with each client's measured response
    /// times.
    var onResponses: (@Sendable ([String: LatencyHistogram]) -> Void)?

    /// Creates the default options.
    public init() {}
}

/// The user's database for a run.
public enum UserDatabase: Sendable, Equatable {
    /// Use a copy of the database.
    case copy(of: URL)
    /// Use the database itself and keep the run's writes.
    case inPlace(URL)
}
