/// A cursor over the initial elements of another cursor that satisfy a predicate.
public final class PrefixWhileCursor<Base: Cursor>: Cursor {
    private let base: Base
    private let predicate: (Base.Element) throws -> Bool
    private var isDone = false

    init(_ base: Base, _ predicate: @escaping (Base.Element) throws -> Bool) {
        self.base = base
        self.predicate = predicate
    }

    /// Advances to the next element and returns it, or returns `nil` at the end.
    public func next() throws -> Base.Element? {
        guard !isDone, let element = try base.next(), try predicate(element) else {
            isDone = true
            return nil
        }
        return element
    }
}
