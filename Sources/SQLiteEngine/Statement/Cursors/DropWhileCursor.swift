/// A cursor that skips the initial elements of another cursor that satisfy a predicate.
public final class DropWhileCursor<Base: Cursor>: Cursor {
    private let base: Base
    private let predicate: (Base.Element) throws -> Bool
    private var hasDropped = false

    init(_ base: Base, _ predicate: @escaping (Base.Element) throws -> Bool) {
        self.base = base
        self.predicate = predicate
    }

    /// Advances to the next element and returns it, or returns `nil` at the end.
    public func next() throws -> Base.Element? {
        if hasDropped { return try base.next() }
        let element = try base.first { try !predicate($0) }
        hasDropped = true
        return element
    }
}
