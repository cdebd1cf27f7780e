/// Options for a watch session.
public struct WatchOptions: Sendable, Equatable {
    /// The maximum mean sampling rate, in samples per second.
    ///
    /// After `n` samples, the standard error of a share `p` is √(p(1−p)/n).
    public var samplesPerSecond: Double = 100
    /// The maximum share of one core that the session and its helpers may use, excluding startup
    /// and report encoding.
    ///
    /// The session lowers the sampling rate to stay below the limit.
    public var processorLimit = 0.025
    /// The seed of the random sampling times, or `nil` for a random seed.
    public var seed: UInt64?
    /// Whether the session reads log frames and counts them by table and index.
    ///
    /// A second helper process reads the frames. Each walk of a database's b-trees takes at most
    /// one second.
    public var readsTables = true
    /// The maximum share of one core for reading frames, averaged over ten seconds.
    public var tablesProcessorLimit = 0.005
    /// Whether reports include this process if it uses a watched database.
    public var includesOwnProcess = false

    /// Creates options with default values.
    public init() {}
}
