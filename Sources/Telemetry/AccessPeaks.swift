/// The largest numbers of accesses that waited at once, and of readers in use, in several statuses.
///
/// Reports, dashboards and results take their peaks from here, so they state the same numbers.
public struct AccessPeaks: Sendable, Equatable {
    /// The largest number of accesses that waited to read at once.
    public private(set) var waitingReaders = 0
    /// The largest number of accesses that waited to write at once.
    public private(set) var waitingWriters = 0
    /// The largest number of readers in use at once; nil for a queue.
    public private(set) var readersInUse: Int?
    /// Whether the library does not count waiting accesses.
    ///
    /// If so, their numbers are the largest in a status; more accesses may have waited between two
    /// statuses.
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
