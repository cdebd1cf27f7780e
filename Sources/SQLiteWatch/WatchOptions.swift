/// The options of a watch session.
public struct WatchOptions: Sendable, Equatable {
    /// The maximum mean sampling rate, in samples per second.
    ///
    /// The standard error of a share p after n samples is √(p(1−p)/n).
    public var samplesPerSecond: Double = 100
    /// The largest share of one core for the session and its helpers, excluding their start and the
    /// encoding of reports.
    ///
    /// The session reduces the sampling rate to stay below the limit.
    public var processorLimit = 0.025
    /// The seed of the random sampling times, or nil for a random seed.
    public var seed: UInt64?
    /// Whether the session reads the frames of logs to count them by table and index.
    ///
    /// A second helper process reads them. Each walk over a database's b-trees takes at most one
    /// second.
    public var readsTables = true
    /// The largest share of one core for reading frames, on average over ten seconds.
    public var tablesProcessorLimit = 0.005
    /// Whether reports list this process if it uses a watched database itself.
    public var includesOwnProcess = false

    /// Creates the default options.
    public init() {}
}
