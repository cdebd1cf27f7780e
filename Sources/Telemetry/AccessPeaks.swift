/// The largest numbers of simultaneously waiting accesses, and of readers in use, in several
/// statuses.
///
/// Reports, dashboards, and results obtain their peaks from this type, so they show the same
/// numbers.
public struct AccessPeaks: Sendable, Equatable {
    /// The largest number of accesses that waited to read at the same time.
    public private(set) var waitingReaders = 0
    /// The largest number of accesses that waited to write at the same time.
    public private(set) var waitingWriters = 0
    /// The largest number of readers in use at the same time; nil for a queue.
    public private(set) var readersInUse: Int?
    /// Whether the library does not count waiting accesses.
    ///
    /// If so, the numbers are the largest in any status, and more accesses may have waited between
    /// two statuses.
    public private(set) var areSampled = false

    /// Creates peaks of zero.
    public init() {}

    /// Adds a status.
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
