/// How databases are watched.
public struct WatchOptions: Sendable, Equatable {
    /// The highest rate of samples, per second, on average.
    ///
    /// The standard error of a share p after n samples is √(p(1−p)/n).
    public var samplesPerSecond: Double = 100
    /// The share of one core that the session and its helpers may use, without the start and
    /// without the encoding of reports.
    ///
    /// The rate of samples decreases before they use more.
    public var processorLimit = 0.025
    /// The seed of the random intervals; nil for a random one.
    public var seed: UInt64?
    /// Whether the frames of logs are read, to count them by table and index.
    ///
    /// A second helper process reads them. Each walk over a database's b-trees takes at most a
    /// second.
    public var readsTables = true
    /// The share of one core that reading frames may use, on average over ten seconds.
    public var tablesProcessorLimit = 0.003
    /// Whether this process is listed where it uses a watched database itself.
    public var includesOwnProcess = false

    /// Creates the default options.
    public init() {}
}
