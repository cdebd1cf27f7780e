/// The counts and durations of a database's connection openings.
public struct OpeningStatus: Sendable, Codable, Equatable {
    /// The number of opened connections, including connections that have since been closed.
    public var opened: UInt64
    /// The number of connections that could not be opened.
    public var failed: UInt64
    /// The durations of the successful openings, or `nil` if there were none.
    public var time: LatencySummary?

    /// Creates a status.
    public init(opened: UInt64 = 0, failed: UInt64 = 0, time: LatencySummary? = nil) {
        self.opened = opened
        self.failed = failed
        self.time = time
    }
}
