import Synchronization

/// The numbers of fetches and duplicate values of a database's observations.
final class ObservationCounts: Sendable {
    /// The number of fetches on a reader.
    let onReaders = Atomic<UInt64>(0)
    /// The number of fetches on the writer.
    let onWriter = Atomic<UInt64>(0)
    /// The number of values that equaled the previous value and were not delivered.
    let duplicates = Atomic<UInt64>(0)
}
