/// A cursor of the elements of another that satisfy a predicate.
public final class FilterCursor<Base: Cursor>: Cursor {
    private let base: Base
    private let isIncluded: (Base.Element) throws -> Bool

    init(_ base: Base, _ isIncluded: @escaping (Base.Element) throws -> Bool) {
        self.base = base
        self.isIncluded = isIncluded
    }

    /// Produces the next element; nil at the end.
    public func next() throws -> Base.Element? {
        try base.first(where: isIncluded)
    }
}

@available(*, unavailable)
extension FilterCursor: Sendable {}
