import Synchronization

/// Counts the fetches and duplicate values of a database's observations.
final class ObservationCounts: Sendable {
    /// A counted event.
    enum Event {
        /// A reader fetched a value.
        case onReaders
        /// The writer fetched a value.
        case onWriter
        /// A value equaled the previous value and was not delivered.
        case duplicates
    }

    private let onReaders = Atomic<UInt64>(0)
    private let onWriter = Atomic<UInt64>(0)
    private let duplicates = Atomic<UInt64>(0)

    func add(_ event: Event) {
        switch event {
        case .onReaders: onReaders.wrappingAdd(1, ordering: .relaxed)
        case .onWriter: onWriter.wrappingAdd(1, ordering: .relaxed)
        case .duplicates: duplicates.wrappingAdd(1, ordering: .relaxed)
        }
    }

    subscript(event: Event) -> UInt64 {
        switch event {
        case .onReaders: onReaders.load(ordering: .relaxed)
        case .onWriter: onWriter.load(ordering: .relaxed)
        case .duplicates: duplicates.load(ordering: .relaxed)
        }
    }
}
