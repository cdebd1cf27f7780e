import Synchronization

/// A counter that many threads draw from, and the largest drawn value known to be in the database.
///
/// Both are atomic numbers, so draws and publications never wait for each other.
public final class SharedSequence: Sendable {
    private let drawn = Atomic<Int64>(0)
    private let newest = Atomic<Int64>(.min)

    /// Creates a sequence that starts at 0.
    public init() {}

    /// Returns the next number, from 0; each number is returned once.
    func next() -> Int64 { drawn.wrappingAdd(1, ordering: .relaxed).oldValue }

    /// The largest published value; `Int64.min` before the first publication.
    public var published: Int64 { newest.load(ordering: .acquiring) }

    /// Publishes that the value is in the database.
    ///
    /// Smaller values count as published, too. This is correct if writers take turns and draw
    /// inside their turn, as in SQLite; if a transaction fails, a key may be missing.
    public func publish(_ value: Int64) {
        _ = newest.max(value, ordering: .releasing)
    }
}

extension SharedSequence: Equatable {
    /// Returns whether both are the same counter.
    public static func == (one: SharedSequence, other: SharedSequence) -> Bool { one === other }
}
