/// The peak numbers of waiting accesses and of readers in use over several statuses.
///
/// Reports, dashboards, and results show the same numbers because they all use this type.
public struct AccessPeaks: Sendable, Equatable {
    /// The largest number of accesses that waited to read at the same time.
    public private(set) var waitingReaders = 0
    /// The largest number of accesses that waited to write at the same time.
    public private(set) var waitingWriters = 0
    /// The largest number of readers in use at the same time, or `nil` for a queue.
    public private(set) var readersInUse: Int?
    /// Whether the numbers are lower bounds because the library does not count waiting accesses.
    ///
    /// If `true`, each number is the largest in any single status. More accesses may have waited
    /// between two statuses.
    public private(set) var areSampled = false

    /// Creates peaks of zero.
    public init() {}

    /// Updates the peaks with a status.
    public mutating func add(_ status: DatabaseStatus) {
        if status.waitingReadersPeak == nil || status.waitingWritersPeak == nil {
            areSampled = true
        }
        waitingReaders = max(
            waitingReaders,
            status.waitingReaders.count,
            status.waitingReadersPeak ?? 0
        )
        waitingWriters = max(
            waitingWriters,
            status.waitingWriters.count,
            status.waitingWritersPeak ?? 0
        )
        if let readers = status.readers {
            readersInUse = max(readersInUse ?? 0, readers.peak)
        }
    }
}
