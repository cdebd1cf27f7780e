import Synchronization

/// A count that many threads draw from, and the part of it that is known to be in the database.
///
/// Both are one atomic number: no draw and no publication waits for another.
public final class SharedSequence: Sendable {
    private let drawn = Atomic<Int64>(0)
    private let newest = Atomic<Int64>(.min)

    /// Creates a sequence from which nothing was drawn.
    public init() {}

    /// The next number, from 0; no other caller gets it.
    func next() -> Int64 { drawn.wrappingAdd(1, ordering: .relaxed).oldValue }

    /// The largest value that was published; `Int64.min` before the first.
    public var published: Int64 { newest.load(ordering: .acquiring) }

    /// Tells that the value is in the database.
    ///
    /// Smaller values are taken to be there too. That is right where writers take turns and draw
    /// inside of their turn, as SQLite's do; where a transaction fails, a key may be missing.
    public func publish(_ value: Int64) {
        _ = newest.max(value, ordering: .releasing)
    }
}

extension SharedSequence: Equatable {
    /// Whether both are the same count.
    public static func == (one: SharedSequence, other: SharedSequence) -> Bool { one === other }
}
