import Synchronization

/// What the observations of a database cost.
final class ObservationCounts: Sendable {
    /// What is counted.
    enum Event {
        /// A value was fetched by a reader.
        case onReaders
        /// A value was fetched on the writer.
        case onWriter
        /// A change came while a fetch ran and another one was remembered already, or before a
        /// fetch that shows it began.
        case coalesced
        /// A value equalled the one before, and was not told.
        case duplicates
    }

    private let onReaders = Atomic<UInt64>(0)
    private let onWriter = Atomic<UInt64>(0)
    private let coalesced = Atomic<UInt64>(0)
    private let duplicates = Atomic<UInt64>(0)

    func add(_ event: Event) {
        switch event {
        case .onReaders: onReaders.wrappingAdd(1, ordering: .relaxed)
        case .onWriter: onWriter.wrappingAdd(1, ordering: .relaxed)
        case .coalesced: coalesced.wrappingAdd(1, ordering: .relaxed)
        case .duplicates: duplicates.wrappingAdd(1, ordering: .relaxed)
        }
    }

    subscript(event: Event) -> UInt64 {
        switch event {
        case .onReaders: onReaders.load(ordering: .relaxed)
        case .onWriter: onWriter.load(ordering: .relaxed)
        case .coalesced: coalesced.load(ordering: .relaxed)
        case .duplicates: duplicates.load(ordering: .relaxed)
        }
    }
}
