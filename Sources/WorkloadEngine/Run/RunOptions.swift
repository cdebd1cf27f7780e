import Foundation
import Telemetry

/// The options of a run, which do not change the workload.
public struct RunOptions: Sendable {
    /// The folder in which the run creates its own folder.
    public var folder: URL = FileManager.default.temporaryDirectory
    /// Whether the run keeps its folder.
    public var keepsFolder = false
    /// The dataset store to share with other runs, or `nil` to build the data only for this run.
    public var datasets: DatasetStore?
    /// The command and arguments that start ``RemoteTargetServer`` in another process.
    ///
    /// Clients with `style: process` require this command.
    public var processCommand: [String]?
    /// The user's database, or `nil` to use the scenario's data.
    public var database: UserDatabase?
    /// A function to call with each sample, on the run's thread.
    ///
    /// The function must return quickly.
    public var onSample: (@Sendable (Sample) -> Void)?
    /// A function to call with each line of preparation progress, on the run's thread.
    public var onProgress: (@Sendable (String) -> Void)?
    /// A function to call with the URL of a kept folder, on the run's thread.
    public var onKeptFolder: (@Sendable (URL) -> Void)?
    /// The seed for the data, or `nil` to use the scenario's seed.
    ///
    /// The blocks of a comparison have different seeds but the same data.
    package var datasetSeed: UInt64?
    package var clock: any RunClock = MonotonicClock()
    /// The time between samples, in nanoseconds.
    package var sampleInterval: UInt64 = 100_000_000
    /// The time between records in the result, in nanoseconds, which must be at least
    /// ``sampleInterval``.
    package var recordInterval: UInt64 = 1_000_000_000
    /// The periods in which to measure the clients, or `nil` to measure only the phases.
    package var periods: LoadPeriods?
    /// Whether missed thresholds with `abort: true` end the run early.
    package var endsAtMissedThresholds = true
    /// Whether the run fails if a client ends with only unfinished accesses, or is so rare that it
    /// was offered none.
    var judgesUnfinished = true
    /// A function to call with each client's measured response times at the end of the run, on
    /// the run's thread.
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
