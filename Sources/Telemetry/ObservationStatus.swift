/// What the value observations of a database cost, since it was opened.
public struct ObservationStatus: Sendable, Codable, Equatable {
    /// Values that are observed now.
    public var active: Int
    /// Values that readers fetched, beside the writer.
    public var fetchesOnReaders: UInt64
    /// Values that were fetched on the connection that writes.
    public var fetchesOnWriter: UInt64
    /// Changes that came while a fetch ran and another one was remembered already, or before a
    /// fetch that shows them began: they cost no fetch of their own.
    public var coalesced: UInt64
    /// Values that equalled the one before, and were not told.
    public var duplicates: UInt64

    /// Creates a status.
    public init(
        active: Int = 0,
        fetchesOnReaders: UInt64 = 0,
        fetchesOnWriter: UInt64 = 0,
        coalesced: UInt64 = 0,
        duplicates: UInt64 = 0
    ) {
        self.active = active
        self.fetchesOnReaders = fetchesOnReaders
        self.fetchesOnWriter = fetchesOnWriter
        self.coalesced = coalesced
        self.duplicates = duplicates
    }
}
