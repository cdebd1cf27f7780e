import Foundation
import Telemetry

/// How a run is carried out: nothing here changes what the workload is.
public struct RunOptions: Sendable {
    /// The folder in which the run makes its own, for the database.
    public var folder: URL = FileManager.default.temporaryDirectory
    /// Whether the run's folder stays when the run is over.
    public var keepsFolder = false
    /// Where built data sets are kept for further runs; nil to build for this run alone.
    public var datasets: DatasetStore?
    /// The program and the arguments that start ``RemoteTargetServer`` in a process of its own,
    /// for clients that make their accesses there; nil where there is none.
    public var processCommand: [String]?
    /// A database of the user's to run on, instead of the scenario's data; nil for those.
    public var database: UserDatabase?
    /// Called with each sample, on the run's own thread: be quick.
    public var onSample: (@Sendable (Sample) -> Void)?
    /// Called with a line that says what is being prepared, on the run's own thread.
    public var onProgress: (@Sendable (String) -> Void)?
    /// Called with the run's folder when it stays (``keepsFolder``), on the run's own thread.
    public var onKeptFolder: (@Sendable (URL) -> Void)?
    /// The seed of the data, when it is not the scenario's: blocks of a comparison have seeds of
    /// their own and the same data.
    package var datasetSeed: UInt64?
    /// The run's clock.
    package var clock: any RunClock = MonotonicClock()
    /// The time between two samples, in nanoseconds.
    package var sampleInterval: UInt64 = 100_000_000

    /// The time that one record of a result spans, in nanoseconds; no shorter than a sample's.
    package var recordInterval: UInt64 = 1_000_000_000
    /// Whether a client fails the run when all its accesses outlast it.
    var judgesUnfinished = true
    /// Called at the end with the measured responses of each client, on the run's own thread.
    var onResponses: (@Sendable ([String: LatencyHistogram]) -> Void)?

    /// Creates the default options.
    public init() {}
}

/// A database of the user's that a run uses.
public enum UserDatabase: Sendable, Equatable {
    /// A copy of it is used; it is only read.
    case copy(of: URL)
    /// It is used itself: what the run writes stays.
    case inPlace(URL)
}
