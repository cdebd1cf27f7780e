/// The most accesses that waited, and the most readers that were in use, at once, over several statuses.
///
/// Reports, dashboards and results take their peaks from here, so they state the same numbers.
public struct AccessPeaks: Sendable, Equatable {
    /// The most accesses that waited to read.
    public private(set) var waitingReaders = 0
    /// The most accesses that waited to write.
    public private(set) var waitingWriters = 0
    /// The most readers in use; nil for a queue.
    public private(set) var readersInUse: Int?
    /// Whether the library does not count who waits: then, the numbers of waiting accesses are the
    /// largest that a status showed, and more may have waited between two of them.
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
