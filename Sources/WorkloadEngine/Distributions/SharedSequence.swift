import Synchronization

/// A counter that threads share, with the largest drawn value that is in the database.
///
/// Both numbers are atomic, so threads that draw and publish values never wait for one another.
package final class SharedSequence: Sendable {
    private let drawn = Atomic<Int64>(0)
    private let newest = Atomic<Int64>(.min)

    /// Creates a sequence that starts at 0.
    package init() {}

    /// Returns the next number, starting at 0.
    func next() -> Int64 { drawn.wrappingAdd(1, ordering: .relaxed).oldValue }

    /// The largest published value, or `Int64.min` before the first publication.
    package var published: Int64 { newest.load(ordering: .acquiring) }

    /// Publishes a value that is now in the database, and all smaller values.
    ///
    /// The smaller values are in the database if each writer draws its values while it holds the
    /// write lock. If a transaction fails, the database may lack a published value.
    package func publish(_ value: Int64) {
        _ = newest.max(value, ordering: .releasing)
    }
}

extension SharedSequence: Equatable {
    /// Returns whether both sequences are the same counter.
    package static func == (one: SharedSequence, other: SharedSequence) -> Bool { one === other }
}
