import Foundation
import Telemetry

/// The options of a run, which do not change the workload.
public struct RunOptions: Sendable {
    /// The folder in which the run creates its folder for the database.
    public var folder: URL = FileManager.default.temporaryDirectory
    /// Whether the run keeps its folder.
    public var keepsFolder = false
    /// The store of datasets for several runs; nil to build the data for this run only.
    public var datasets: DatasetStore?
    /// The program and the arguments that start ``RemoteTargetServer`` in another process, for
    /// clients with `style: process`; nil if there is none.
    public var processCommand: [String]?
    /// The user's database to run on; nil for the scenario's data.
    public var database: UserDatabase?
    /// Called with each sample, on the run's thread; it must return quickly.
    public var onSample: (@Sendable (Sample) -> Void)?
    /// Called with a line that describes the preparation, on the run's thread.
    public var onProgress: (@Sendable (String) -> Void)?
    /// Called with the run's folder if it is kept (``keepsFolder``), on the run's thread.
    public var onKeptFolder: (@Sendable (URL) -> Void)?
    /// The seed of the data, if it differs from the scenario's: the blocks of a comparison have
    /// different seeds and the same data.
    package var datasetSeed: UInt64?
    /// The run's clock.
    package var clock: any RunClock = MonotonicClock()
    /// The time between two samples, in nanoseconds.
    package var sampleInterval: UInt64 = 100_000_000

    /// The interval of a result's records, in nanoseconds; at least the sample interval.
    package var recordInterval: UInt64 = 1_000_000_000
    /// Whether missed thresholds with `abort: true` end the run early.
    package var endsAtMissedThresholds = true
    /// Whether a client fails the run if all its accesses outlast it.
    var judgesUnfinished = true
    /// Called at the end with the measured responses of each client, on the run's thread.
    var onResponses: (@Sendable ([String: LatencyHistogram]) -> Void)?

    /// Creates the default options.
    public init() {}
}

/// The user's database for a run.
public enum UserDatabase: Sendable, Equatable {
    /// The run uses a copy of the database.
    case copy(of: URL)
    /// The run uses the database itself, and keeps its writes.
    case inPlace(URL)
}
