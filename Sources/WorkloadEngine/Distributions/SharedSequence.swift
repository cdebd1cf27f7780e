import Synchronization

/// A counter that many threads share.
///
/// The sequence also records the largest drawn value that is in the database.
///
/// Both numbers are atomic, so threads that draw and publish values never wait for one another.
public final class SharedSequence: Sendable {
    private let drawn = Atomic<Int64>(0)
    private let newest = Atomic<Int64>(.min)

    /// Creates a sequence that starts at 0.
    public init() {}

    /// Returns the next number, starting at 0.
    ///
    /// Each number is returned only once.
    func next() -> Int64 { drawn.wrappingAdd(1, ordering: .relaxed).oldValue }

    /// The largest published value, or `Int64.min` before the first publication.
    public var published: Int64 { newest.load(ordering: .acquiring) }

    /// Publishes a value that is now in the database.
    ///
    /// This also publishes all smaller values. It is correct if each writer draws its values while
    /// it holds the write lock, as in SQLite. If a transaction fails, a published key may be
    /// missing.
    public func publish(_ value: Int64) {
        _ = newest.max(value, ordering: .releasing)
    }
}

extension SharedSequence: Equatable {
    /// Returns whether both sequences are the same counter.
    public static func == (one: SharedSequence, other: SharedSequence) -> Bool { one === other }
}
