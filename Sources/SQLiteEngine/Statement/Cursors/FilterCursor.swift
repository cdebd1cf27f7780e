/// A cursor over the elements of another cursor that satisfy a predicate.
public final class FilterCursor<Base: Cursor>: Cursor {
    private let base: Base
    private let isIncluded: (Base.Element) throws -> Bool

    init(_ base: Base, _ isIncluded: @escaping (Base.Element) throws -> Bool) {
        self.base = base
        self.isIncluded = isIncluded
    }

    /// Advances to the next element and returns it, or returns `nil` at the end.
    public func next() throws -> Base.Element? {
        try base.first(where: isIncluded)
    }

    /// Calls `body` with each remaining element.
    public func forEach(_ body: (Base.Element) throws -> Void) throws {
        // swift-format-ignore: ReplaceForEachWithForLoop
        try base.forEach { element in
            if try isIncluded(element) { try body(element) }
        }
    }
}
