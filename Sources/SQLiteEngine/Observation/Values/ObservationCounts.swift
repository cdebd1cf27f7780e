import Synchronization

/// Counts the fetches and duplicate values of a database's observations.
final class ObservationCounts: Sendable {
    /// How often a reader fetched a value.
    let onReaders = Atomic<UInt64>(0)
    /// How often the writer fetched a value.
    let onWriter = Atomic<UInt64>(0)
    /// How often a value equaled the previous value and was not delivered.
    let duplicates = Atomic<UInt64>(0)
}
