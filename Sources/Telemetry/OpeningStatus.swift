/// The connections that a database has opened.
public struct OpeningStatus: Sendable, Codable, Equatable {
    /// How many were opened, those included that are closed by now.
    public var opened: UInt64
    /// How many could not be opened.
    public var failed: UInt64
    /// How long the openings took that succeeded.
    public var time: LatencySummary?

    /// Creates a status.
    public init(opened: UInt64 = 0, failed: UInt64 = 0, time: LatencySummary? = nil) {
        self.opened = opened
        self.failed = failed
        self.time = time
    }
}
